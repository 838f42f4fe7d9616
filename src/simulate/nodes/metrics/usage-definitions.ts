/** The definitions of ResourceUsage and ClusterResourceUsage, in words of our own, as KWOK's objects have them. */
import type { JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import { stageGroup } from '../../stages/stage.ts'
import { usageResources } from './resource-usages.ts'

const names = (description: string): JsonObject => ({ type: 'array', description, items: { type: 'string' } })

const amount = (description: string): JsonObject => ({
  type: 'object',
  description,
  properties: {
    value: {
      description: 'A quantity.',
      anyOf: [{ type: 'integer' }, { type: 'string' }],
      'x-kubernetes-int-or-string': true,
    },
    expression: { type: 'string', description: 'An expression in CEL, of pod, node and container.' },
  },
})

const usages: JsonObject = {
  type: 'array',
  description: 'What containers use; the first that names a container counts.',
  items: {
    type: 'object',
    properties: {
      containers: names('The containers; all where there are none.'),
      usage: {
        type: 'object',
        properties: { cpu: amount('Of processors.'), memory: amount('Of memory.') },
      },
    },
  },
}

const selector: JsonObject = {
  type: 'object',
  description: 'Which pods; all without it.',
  properties: { matchNamespaces: names('Their namespaces.'), matchNames: names('Their names.') },
}

function definition(kind: string, plural: string, scope: 'Cluster' | 'Namespaced'): KubeObject {
  const properties = scope === 'Cluster' ? { selector, usages } : { usages }
  const metadata = {
    name: `${plural}.${stageGroup}`,
    annotations: { 'api-approved.kubernetes.io': 'unapproved, as KWOK has it' },
  }
  const schema: JsonObject = {
    type: 'object',
    description: 'What containers of simulated pods use.',
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      spec: { type: 'object', properties },
      status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    },
  }
  const version = { name: 'v1alpha1', served: true, storage: true, schema: { openAPIV3Schema: schema } }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata,
    spec: {
      group: stageGroup,
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
      scope,
      versions: [{ ...version, subresources: { status: {} } }],
    },
  }
}

export const usageDefinitions: readonly KubeObject[] = [
  definition('ClusterResourceUsage', usageResources.cluster, 'Cluster'),
  definition('ResourceUsage', usageResources.namespaced, 'Namespaced'),
]
