import { describe, expect, it } from 'vitest'
import { FieldLines } from './field-lines.ts'

const text = `# about
kind: X
metadata:
  labels:
    a.b/c: d
spec:
  containers:
    - name: one
    - name: two
      image: x
`

describe('FieldLines', () => {
  it.each([
    ['', 2],
    ['kind', 2],
    ['spec.containers[1].image', 10],
    ['spec.containers[1].missing.more', 9],
    ['spec.containers[7]', 7],
    ['metadata.labels[a.b/c]', 5],
    ['metadata.labels.a.b/c', 5],
    ['nothing', 2],
  ])('%s is in line %i', (field, line) => expect(new FieldLines(text).find([], field)).toBe(line))

  it('finds fields of the items of lists, in JSON too', () => {
    const list = new FieldLines('{"items": [\n{"kind": "A"},\n{"kind": "B",\n"spec": {}}\n]}')
    expect([list.find([0]), list.find([1]), list.find([1], 'spec'), list.find([1, 0], 'kind')]).toEqual([2, 3, 4, 3])
  })

  it('takes what is no document', () => expect(new FieldLines(': [').find([], 'a')).toBe(1))
})
