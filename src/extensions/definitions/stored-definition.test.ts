import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../api/object.ts'
import { fromStoredDefinition, toStoredDefinition } from './stored-definition.ts'

const schema = { openAPIV3Schema: { type: 'object' } }
const names = { plural: 'crons', singular: 'cron', kind: 'Cron', listKind: 'CronList' }
const column = { name: 'Spec', type: 'string', jsonPath: '.spec' }

function definition(versions: object[], more: object = {}): KubeObject {
  return {
    kind: 'CustomResourceDefinition',
    apiVersion: 'apiextensions.k8s.io/v1',
    metadata: { name: 'crons.example.com' },
    spec: { group: 'example.com', names, scope: 'Namespaced', versions, conversion: { strategy: 'None' }, ...more },
    status: { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: ['v1'] },
  } as unknown as KubeObject
}

const one = { name: 'v1', served: true, storage: true, schema }
const clientConfig = { url: 'https://convert.example.com' }
const cases: readonly (readonly [string, KubeObject])[] = [
  ['one version', definition([one])],
  ['a column', definition([{ ...one, additionalPrinterColumns: [column] }])],
  ['versions alike', definition([one, { ...one, name: 'v2', storage: false }])],
  [
    'versions that differ',
    definition([one, { name: 'v2', served: true, storage: false, subresources: { status: {} } }]),
  ],
  ['selectable fields', definition([{ ...one, selectableFields: [{ jsonPath: '.spec' }] }])],
  [
    'a webhook',
    definition([one], {
      conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } },
    }),
  ],
  ['unknown fields kept', definition([one], { preserveUnknownFields: true })],
]

describe('a stored definition', () => {
  it.each(cases)('is read back as it was: %s', (_, given) => {
    expect(fromStoredDefinition(toStoredDefinition(given))).toEqual(given)
  })

  it('has what all versions share once, under the old names', () => {
    const stored = toStoredDefinition(definition([{ ...one, additionalPrinterColumns: [column] }]))
    expect(JSON.stringify(stored['spec'])).toBe(
      JSON.stringify({
        group: 'example.com',
        version: 'v1',
        names,
        scope: 'Namespaced',
        validation: schema,
        versions: [{ name: 'v1', served: true, storage: true }],
        additionalPrinterColumns: [{ name: 'Spec', type: 'string', JSONPath: '.spec' }],
        conversion: { strategy: 'None' },
        preserveUnknownFields: false,
      }),
    )
  })

  it('may name its version alone and say nothing of unknown fields', () => {
    const spec = { group: 'example.com', version: 'v1alpha1', names, scope: 'Cluster', validation: schema }
    const old = { ...definition([]), apiVersion: 'apiextensions.k8s.io/v1beta1', spec }
    expect(fromStoredDefinition(old)['spec']).toEqual({
      group: 'example.com',
      names,
      scope: 'Cluster',
      versions: [{ name: 'v1alpha1', served: true, storage: true, schema }],
      conversion: { strategy: 'None' },
      preserveUnknownFields: true,
    })
  })
})
