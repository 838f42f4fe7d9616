import { describe, expect, it } from 'vitest'
import type { ObjectMeta } from '../api/object.ts'
import { MetadataChecks, type MetadataRules } from './metadata-checks.ts'

const old: ObjectMeta = { name: 'a', uid: 'u', resourceVersion: '1' }
const checksOf = (metadata: ObjectMeta, before: ObjectMeta | undefined = undefined): MetadataChecks =>
  new MetadataChecks({ metadata, namespaced: false, ...(before === undefined ? {} : { old: before }) })
const fieldsOf = (errors: readonly { readonly field: string }[]): string[] => errors.map(({ field }) => field)

describe('all of it', () => {
  it.each<[string, ObjectMeta, MetadataRules, readonly string[]]>([
    ['a subdomain unless the kind says otherwise', { name: 'A' }, {}, ['metadata.name']],
    ['a name that the kind allows', { name: 'A' }, { validateName: () => [] }, []],
    ['a prefix', { name: 'a', generateName: 'A' }, {}, ['metadata.generateName']],
    ['a finalizer without a domain', { name: 'a', finalizers: ['x'] }, {}, ['metadata.finalizers[0]']],
    ['one of a kind that allows any', { name: 'a', finalizers: ['x'] }, { anyFinalizer: true }, []],
    ['a namespace', { name: 'a', namespace: 'n' }, {}, ['metadata.namespace']],
  ])('%s', (_, metadata, rules, expected) => {
    expect(fieldsOf(checksOf(metadata).validate(rules))).toEqual(expected)
  })

  it('reports a cause at each call', () => {
    const checks = checksOf({ name: 'a', labels: { 'a b': '' } })
    expect(checks.validate()).toHaveLength(1)
    expect(checks.validate()).toHaveLength(1)
  })

  it('checks names and finalizers of valid metadata again', () => {
    const checks = checksOf({ name: 'a', finalizers: ['x'] })
    expect(checks.validate({ anyFinalizer: true })).toEqual([])
    expect(fieldsOf(checks.validate())).toEqual(['metadata.finalizers[0]'])
    expect(fieldsOf(checks.validate({ validateName: () => ['no'], anyFinalizer: true }))).toEqual(['metadata.name'])
  })
})

describe('what it may not become', () => {
  it('is nothing on create', () => {
    expect(checksOf({ name: 'a', finalizers: ['x'] }).validateUpdate()).toEqual([])
  })

  it.each<[string, ObjectMeta, MetadataRules, readonly string[]]>([
    ['the same', old, {}, []],
    ['of another uid', { ...old, uid: 'v' }, {}, ['metadata.uid']],
    ['with a finalizer without a domain', { ...old, finalizers: ['x'] }, {}, ['metadata.finalizers[0]']],
    ['with any', { ...old, finalizers: ['x'] }, { anyFinalizer: true }, []],
  ])('%s', (_, metadata, rules, expected) => {
    const checks = checksOf(metadata, old)
    expect(fieldsOf(checks.validateUpdate(rules))).toEqual(expected)
    expect(fieldsOf(checks.validateUpdate(rules))).toEqual(expected)
  })

  it('checks finalizers again that passed as any', () => {
    const checks = checksOf({ ...old, finalizers: ['x'] }, old)
    expect(checks.validateUpdate({ anyFinalizer: true })).toEqual([])
    expect(fieldsOf(checks.validateUpdate())).toEqual(['metadata.finalizers[0]'])
  })
})

describe('the generic rules', () => {
  it.each<[string, ObjectMeta, ObjectMeta | undefined, readonly string[]]>([
    ['any name that a path can have', { name: 'A_b' }, undefined, []],
    ['a name that no path can have', { name: 'a/b' }, undefined, ['metadata.name']],
    ['any finalizer', { ...old, finalizers: ['x'] }, old, []],
    ['all before what it may not become', { ...old, name: 'a/b' }, old, ['metadata.name', 'metadata.name']],
  ])('%s', (_, metadata, before, expected) => {
    expect(fieldsOf(checksOf(metadata, before).validateGeneric())).toEqual(expected)
  })

  it('do not excuse a name of the kind', () => {
    const checks = checksOf({ ...old, name: 'A' }, { ...old, name: 'A' })
    expect(checks.validateGeneric()).toEqual([])
    expect(fieldsOf(checks.validate())).toEqual(['metadata.name'])
  })
})
