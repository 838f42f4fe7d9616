import { describe, expect, test } from 'vitest'
import { duplicate, invalid, notSupported } from '../api/field-error.ts'
import type { KubeObject } from '../api/object.ts'
import { errorsAtRelease } from '../api/release-wordings.ts'
import { typesAt } from '../catalog/catalog.ts'
import type { Strategy, WriteContext } from '../registry/strategy.ts'
import { withNamedTexts } from './named-texts.ts'

const context = {} as WriteContext
const object = {} as KubeObject

describe('texts of named types', () => {
  const shown = (release: number, field: string, text: string): string[] => {
    const errors = () => [invalid(field, text, 'bad'), notSupported(field, text, ['a']), duplicate(field, text)]
    const plain: Strategy = { validate: errors, validateUpdate: errors, validateInTurns: errors }
    const strategy = withNamedTexts(plain, typesAt(release).typeSchema('core.v1.Pod'), { release })
    const made = errorsAtRelease(strategy.validate?.(object, context) ?? [], release).map(({ message }) => message)
    const changed = strategy.validateUpdate?.(object, object, context) ?? []
    const slow = strategy.validateInTurns?.(object, undefined, context)
    expect(errorsAtRelease(changed, release).map(({ message }) => message)).toEqual(made)
    expect(errorsAtRelease(slow as typeof changed, release).map(({ message }) => message)).toEqual(made)
    return made
  }
  const words = (text: string): string[] => [
    `Invalid value: ${text}: bad`,
    `Unsupported value: ${text}: supported values: "a"`,
    `Duplicate value: ${text}`,
  ]

  test.each([
    [33, 'spec.restartPolicy', 'a\u0000<', '"a\\x00<"'],
    [34, 'spec.restartPolicy', 'a\u0000<', '"a\\u0000\\u003c"'],
    [36, 'spec.containers[3].ports[0].protocol', '\u200b&', '"\u200b\\u0026"'],
    [36, 'spec.restartPolicy', 'plain "text"', '"plain \\"text\\""'],
    [36, 'spec.nodeName', '\u0000', '"\\x00"'],
    [36, 'metadata.labels[a.b/c]', '\u0000', '"\\x00"'],
    [36, 'spec.containers[0].volumeMounts.recursiveReadOnly', '\u0000', '"\\u0000"'],
    [36, 'spec.restartPolicy.restartPolicy', '\u0000', '"\\u0000"'],
    [36, 'spec.resourceClaims[0].name', '\u0000', '"\\x00"'],
    [34, 'spec.containers[0].resizePolicy', '\u0000', '"\\u0000"'],
    [34, 'spec.containers[0].volumeMounts', '\u0000', '"\\x00"'],
    [34, 'spec.securityContext', '\u0000', '"\\x00"'],
    [34, 'spec.readinessGates[0].conditionType', '\u0000', '"\\x00"'],
    [34, 'spec.tolerations.tolerations[0].operator', '\u0000', '"\\u0000"'],
    [36, 'spec.none.such', '\u0000', '"\\x00"'],
  ])('at 1.%d: %s of %j', (release, field, text, wanted) => {
    expect(shown(release, field, text)).toEqual(words(wanted))
  })

  test('are found where the path has no number of the item', () => {
    const plain: Strategy = { validate: () => [notSupported('spec.accessModes', '\u0000', ['a'])] }
    const schema = typesAt(36).typeSchema('core.v1.PersistentVolumeClaim')
    const [error] = withNamedTexts(plain, schema, { release: 36 }).validate?.(object, context) ?? []
    expect(error?.messageAt?.(36)).toBe('Unsupported value: "\\u0000": supported values: "a"')
  })

  test('are quoted where the rule looks at a plain string', () => {
    const plain: Strategy = { validate: () => [notSupported('spec.scope', '\u0000', ['Cluster'])] }
    const schema = typesAt(36).typeSchema('apiextensions.v1.CustomResourceDefinition')
    const [error] = withNamedTexts(plain, schema, { release: 36 }).validate?.(object, context) ?? []
    expect(error?.messageAt?.(36)).toBe('Unsupported value: "\\x00": supported values: "Cluster"')
  })
})
