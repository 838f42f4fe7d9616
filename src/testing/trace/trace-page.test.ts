import { expect, it } from 'vitest'
import { scriptJson, tracePage } from './trace-page.ts'
import { viewerScript } from './viewer-script.ts'

const hostile = [
  '</script><script>alert(1)</script>',
  '<!-- <script>',
  ']]><img src=x onerror=alert(1)>',
  '&lt;b&gt;',
  '\u2028"\'`$\u007balert(1)}',
]

const data = (text: string) => ({
  title: text,
  errors: [text],
  server: text,
  begin: 0,
  isCut: false,
  entries: [],
  objects: [],
  faults: [],
})

it.each(hostile)('holds %j as data', (text) => {
  expect(JSON.parse(scriptJson({ [text]: text }))).toEqual({ [text]: text })
  const page = tracePage(data(text))
  expect(page.match(/<script/g)).toHaveLength(2)
  expect(page.match(/<\/script>/g)).toHaveLength(2)
  expect(page).not.toMatch(/<(img|b)\b|<!--/)
  const [, json = ''] = /<script type="application\/json" id="trace">(.*)<\/script>/.exec(page) ?? []
  expect(JSON.parse(json)).toEqual(data(text))
})

it('has a viewer that makes no markup of texts', () => {
  expect(viewerScript).not.toMatch(
    /innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|setAttribute\('on/,
  )
  expect(() => new Function(viewerScript)).not.toThrow()
})
