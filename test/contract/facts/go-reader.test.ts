/** The reader of Go declarations that makes facts/: what it understands, by small examples. */
import { describe, expect, it } from 'vitest'

// biome-ignore lint/suspicious/noExplicitAny: trees of many shapes
type Tree = any
const { parseGo, statementsOf, walk } = (await import('../../../scripts/facts/go-parser.mjs' as string)) as {
  parseGo(source: string): Tree
  statementsOf(declared: Tree): Tree
  walk(tree: Tree): Iterable<Tree>
}

const file = parseGo(`// Package p is one.
package p

import (
\t"fmt"
\tv1 "k8s.io/api/core/v1"
)

// Mode says how.
// +enum
type Mode string

const (
\t// Fast is quick.
\tFast Mode = "Fast"
\tSlow Mode = \`Slow\`
\tnone = iota
)

type Pair[K comparable, V any] struct {
\tKey K
}

type Thing struct {
\tv1.ObjectMeta \`json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"\`
\t*Pair[string, int]
\t// Count is how many.
\t//
\t// +optional
\t// +default=1
\tCount *int32 \`json:"count,omitempty"\` // not this one
\tByName map[string][]v1.Pod
\tDo, Undo func(a, b int) (string, error)
}

var things = map[string]*Thing{
\t"a": {Count: nil},
\t"b": &Thing{ByName: map[string][]v1.Pod{}},
}

func (t *Thing) Set(other Thing, names ...string) error {
\tif x := (Thing{}); x.Count == nil && len(names) == 0 {
\t\tt.Count = other.Count
\t} else if fmt.Sprint("}") != "" {
\t\treturn nil
\t}
\tfor i := range names {
\t\tswitch names[i] {
\t\tcase "a", "b":
\t\t\tt.Do(1, 0x10)
\t\tdefault:
\t\t}
\t}
\treturn fmt.Errorf("no %s", names[0])
}
`)

describe('declarations', () => {
  it('imports by the name that they have in the file', () => {
    expect([...file.imports]).toEqual([
      ['fmt', 'fmt'],
      ['v1', 'k8s.io/api/core/v1'],
    ])
  })
  it('constants with their types and values', () => {
    expect(
      file.consts.map(({ name, type, value, iota }: Tree) => [name, type?.name, value.value ?? value.name, iota]),
    ).toEqual([
      ['Fast', 'Mode', 'Fast', 0],
      ['Slow', 'Mode', 'Slow', 1],
      ['none', undefined, 'iota', 2],
    ])
  })
  it('comments that belong to a declaration', () => {
    expect(file.types.get('Mode').doc).toEqual([' Mode says how.', ' +enum'])
  })
  it('fields with tags, comments and embedded structs', () => {
    const { fields } = file.types.get('Thing').type
    expect(fields.map(({ name, embedded, type }: Tree) => [name, embedded, type.kind])).toEqual([
      ['ObjectMeta', true, 'name'],
      ['Pair', true, 'pointer'],
      ['Count', false, 'pointer'],
      ['ByName', false, 'map'],
      ['Do', false, 'func'],
      ['Undo', false, 'func'],
    ])
    expect(fields[2].doc).toEqual([' Count is how many.', '', ' +optional', ' +default=1'])
    expect(fields[2].tag).toBe('json:"count,omitempty"')
  })
  it('composite literals, the inner ones without their type', () => {
    const { value } = file.vars.get('things')
    expect(value.items.map(({ key, value: item }: Tree) => [key.value, item.kind])).toEqual([
      ['a', 'composite'],
      ['b', 'unary'],
    ])
  })
})

describe('statements', () => {
  const [declared] = file.funcs
  const body = statementsOf(declared)

  it('are told apart', () => {
    expect(declared.parameters.map(({ name }: Tree) => name)).toEqual(['other', 'names'])
    expect(body.map(({ kind }: Tree) => kind)).toEqual(['if', 'for', 'return'])
    expect(body[0].test.op).toBe('&&')
    expect(body[1].body[0].cases.map(({ tests }: Tree) => tests.map(({ value }: Tree) => value))).toEqual([
      ['a', 'b'],
      [],
    ])
  })
  it('are walked down to their calls', () => {
    const calls = [...walk(body)].filter(({ kind }: Tree) => kind === 'call').map(({ of }: Tree) => of.name)
    expect(calls).toEqual(['len', 'Sprint', 'Do', 'Errorf'])
  })
  it('are undefined where they cannot be read', () => {
    const broken = parseGo('package p\nfunc f() { x := }\nfunc g() {}').funcs
    expect(statementsOf(broken[0])).toBeUndefined()
  })
})
