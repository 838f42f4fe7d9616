import { expect, test } from 'vitest'
import { goDiff } from './diff-report.ts'
import { unifiedDiff } from './unified-diff.ts'

const letters = (text: string): string => text.split('').join('\n')

test.each<[string, string, string]>([
  ['abc', 'abc', ''],
  ['abc', 'abd', '@@ -1,3 +1,3 @@\n a\n b\n-c\n+d\n'],
  ['abcdefghijklmno', 'abcdefgXhijklmno', '@@ -5,6 +5,7 @@\n e\n f\n g\n+X\n h\n i\n j\n'],
  ['aXcdefghijYl', 'acdefghijl', '@@ -1,5 +1,4 @@\n a\n-X\n c\n d\n e\n@@ -8,5 +7,4 @@\n h\n i\n j\n-Y\n l\n'],
  ['aXcdefgYl', 'acdefgl', '@@ -1,9 +1,7 @@\n a\n-X\n c\n d\n e\n f\n g\n-Y\n l\n'],
  ['a', 'b', '@@ -1 +1 @@\n-a\n+b\n'],
])('%s to %s', (before, after, diff) => {
  expect(unifiedDiff(letters(before), letters(after))).toBe(diff)
})

test('a comparison is bounded', () => {
  const lines = (from: number): string => Array.from({ length: 40_000 }, (_, i) => `${(i * from) % 397}`).join('\n')
  expect(unifiedDiff(lines(7), lines(11))).toBe('')
})

test('values are compared as JSON of their internal type', () => {
  const change = { before: { hostPath: { path: '/<a>' } }, after: { hostPath: { path: '/b', type: '' } } }
  expect(goDiff('core.PersistentVolumeSource', change, 34)).toBe(
    '@@ -2,8 +2,8 @@\n  "GCEPersistentDisk": null,\n  "AWSElasticBlockStore": null,\n  "HostPath": {\n-  "Path": "/\\u003ca\\u003e",\n-  "Type": null\n+  "Path": "/b",\n+  "Type": ""\n  },\n  "Glusterfs": null,\n  "NFS": null,\n',
  )
})
