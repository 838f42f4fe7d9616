/** An exported name has one meaning: it is declared once in `src`, or stands here with a reason. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('.', import.meta.url))

/** Generated types have the API's names, version by version; published declarations those of what they describe; fixtures are of one test. */
const elsewhere =
  /^catalog\/types\/|^embedding\/api\.ts$|^testing\/api\/|^testing\/webhooks\/api\.ts$|\/testing\/|\/test-[^/]*$|\.test\.ts$/

const repeated: Readonly<Record<string, readonly string[]>> = {
  'constructors named as in the packages field and errors of the reference': ['forbidden', 'invalid', 'notFound'],
  'the published server of a test, and the server that it starts': ['startServer'],
  'one fact in two rooms that may not import each other': ['RbacWrite', 'mirrorAnnotation'],
}

const declaration =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|let|class|interface|type) (\w+)/gm

function repeatedNames(): string[] {
  const files = new Map<string, Set<string>>()
  for (const file of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts') || elsewhere.test(file)) continue
    for (const [, name = ''] of readFileSync(`${root}${file}`, 'utf8').matchAll(declaration)) {
      files.set(name, (files.get(name) ?? new Set()).add(file))
    }
  }
  return [...files].filter(([, places]) => places.size > 1).map(([name]) => name)
}

test('no exported name is declared twice without a reason, and no reason is left over', () => {
  expect(repeatedNames().sort()).toEqual(Object.values(repeated).flat().sort())
})
