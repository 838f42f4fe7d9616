import { describe, expect, test } from 'vitest'
import { acceptNames, NameIndex } from './accepted-names.ts'
import type { Definition } from './definition.ts'

const definition = (plural: string, kind: string, more: object = {}): Definition =>
  ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.a.example` },
    spec: {
      group: 'a.example',
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List`, ...more },
    },
    status: { acceptedNames: { plural: '', kind: '' }, conditions: null, storedVersions: null },
  }) as unknown as Definition

describe('names', () => {
  test('free names are accepted', () => {
    const { names, accepted, established } = acceptNames(definition('things', 'Thing'), new NameIndex())
    expect(names).toEqual({ plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' })
    expect(accepted).toMatchObject({ status: 'True', reason: 'NoConflicts' })
    expect(established).toMatchObject({ status: 'True', reason: 'InitialNamesAccepted' })
  })

  test('names of others are not', () => {
    const index = new NameIndex()
    index.set('others.a.example', 'a.example', { plural: 'others', kind: 'Thing', shortNames: ['t'] })
    const { names, accepted, established } = acceptNames(definition('things', 'Thing', { shortNames: ['t'] }), index)
    expect(names).toEqual({ plural: 'things', singular: 'thing', kind: '', listKind: 'ThingList' })
    expect(accepted).toMatchObject({ status: 'False', reason: 'KindConflict', message: '"Thing" is already in use' })
    expect(established).toMatchObject({ status: 'False', reason: 'NotAccepted' })
  })

  test('names in other groups do not matter, and those that were given up are free', () => {
    const index = new NameIndex()
    index.set('others.b.example', 'b.example', { plural: 'things', kind: 'Thing' })
    index.set('others.a.example', 'a.example', { plural: 'others', kind: 'Thing' })
    index.delete('others.a.example')
    expect(acceptNames(definition('things', 'Thing'), index).accepted.status).toBe('True')
  })

  test('a definition whose certificates cannot be read is not established', () => {
    const made = definition('things', 'Thing')
    const clientConfig = { url: 'https://a.example/', caBundle: Buffer.from('none').toString('base64') }
    made.spec.conversion = { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } }
    expect(acceptNames(made, new NameIndex()).established).toMatchObject({ status: 'False', reason: 'InvalidCABundle' })
  })
})
