// CustomResourceDefinitions refused for their names, group, scope or shape: every cause and its text.
import { crd } from '../support/definitions.mjs'

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const group = 'names.extend.conformance.example.com'
const good = (change = {}) => {
  const body = crd({ group, plural: 'things', kind: 'Thing', spec: { type: 'object' } })
  return { ...body, spec: { ...body.spec, ...change } }
}

export default async (t) => {
  await t.post(`${CRDS}?dryRun=All`, { ...good(), metadata: { name: 'stuff.names.extend.conformance.example.com' } })
  await t.post(`${CRDS}?dryRun=All`, { ...good(), metadata: {} })
  await t.post(
    `${CRDS}?dryRun=All`,
    { ...good(), metadata: { generateName: 'things' } },
    { pick: (b) => JSON.parse(JSON.stringify(b).replace(/things[a-z0-9]{5}/g, 'things<random>')) },
  )
  await t.post(`${CRDS}?dryRun=All`, { ...good({ group: 'plain' }), metadata: { name: 'things.plain' } })
  await t.post(`${CRDS}?dryRun=All`, { ...good({ group: '' }), metadata: { name: 'things.' } })
  await t.post(`${CRDS}?dryRun=All`, {
    ...good({ group: 'UPPER.example.com' }),
    metadata: { name: 'things.UPPER.example.com' },
  })
  await t.post(`${CRDS}?dryRun=All`, { ...good({ group: 'ext.k8s.io' }), metadata: { name: 'things.ext.k8s.io' } })
  await t.post(`${CRDS}?dryRun=All`, good({ scope: 'Everywhere' }))
  await t.post(`${CRDS}?dryRun=All`, good({ scope: undefined }))
  await t.post(`${CRDS}?dryRun=All`, good({ names: undefined }))
  await t.post(`${CRDS}?dryRun=All`, good({ names: { plural: 'things' } }))
  await t.post(`${CRDS}?dryRun=All`, {
    ...good({ names: { plural: 'Things', kind: 'thing kind', singular: 'Th_ing', listKind: 'Thing!' } }),
    metadata: { name: 'Things.names.extend.conformance.example.com' },
  })
  await t.post(`${CRDS}?dryRun=All`, good({ names: { plural: 'things', kind: 'Thing', listKind: 'Thing' } }))
  await t.post(
    `${CRDS}?dryRun=All`,
    good({
      names: { plural: 'things', kind: 'Thing', shortNames: ['ok', 'Not OK', ''], categories: ['all', 'Bad Category'] },
    }),
  )
  await t.post(`${CRDS}?dryRun=All`, good({ preserveUnknownFields: true }))
  await t.post(`${CRDS}?dryRun=All`, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.names.extend.conformance.example.com' },
  })
  await t.post(`${CRDS}?dryRun=All`, { ...good(), kind: 'CRD' })
  await t.post(`${CRDS}?dryRun=All`, { ...good(), apiVersion: 'apiextensions.k8s.io/v1beta1' })
  await t.post(`${CRDS}?dryRun=All`, { ...good(), spec: [] })
  await t.post(`${CRDS}?fieldValidation=Strict&dryRun=All`, good({ colour: 'red' }))
  await t.post(`${CRDS}?dryRun=All`, good({ colour: 'red' }), { pick: (b) => ({ spec: b.spec, status: b.status }) })
}
