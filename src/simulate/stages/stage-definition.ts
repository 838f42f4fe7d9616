/** The definition of Stage, in words of our own: what KWOK's stages may say, and nothing is lost of what they say besides. */
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { stageGroup } from './stage.ts'

const text = (description: string): JsonObject => ({ type: 'string', description })
const flag = (description: string): JsonObject => ({ type: 'boolean', description })
const number = (description: string): JsonObject => ({ type: 'integer', format: 'int64', description })
const object = (description: string, properties: JsonObject, required: string[] = []): JsonObject => ({
  type: 'object',
  description,
  properties,
  ...(required.length === 0 ? {} : { required }),
})
const list = (description: string, items: JsonObject): JsonObject => ({ type: 'array', description, items })
const map = (description: string): JsonObject => ({
  type: 'object',
  description,
  additionalProperties: { type: 'string' },
})

const operator: JsonObject = {
  ...text('How the values relate to the key.'),
  enum: ['In', 'NotIn', 'Exists', 'DoesNotExist'],
}
const comparison: JsonObject = {
  key: text('A jq filter.'),
  operator,
  values: list('Values to compare with, as text.', { type: 'string' }),
}
const cel = object('An expression in CEL; the object is self.', { expression: text('The expression.') })
const from = (description: string): JsonObject =>
  object(description, {
    expressionFrom: text('A jq filter.'),
    jq: object('An expression in jq.', { expression: text('The filter.') }),
    cel,
  })
const event = object('An event to record.', {
  type: text('Normal or Warning.'),
  reason: text('Why, in one word.'),
  message: text('Why, in a sentence.'),
})
const finalizerList = (description: string): JsonObject =>
  list(description, object('A finalizer.', { value: text('Its name.') }))
const finalizers = object('Changes of the finalizers.', {
  add: finalizerList('Finalizers to add.'),
  remove: finalizerList('Finalizers to remove.'),
  empty: flag('Remove all.'),
})
const impersonation = object('Who writes.', { username: text('The name of the user.') })
const patch = (types: readonly string[]): JsonObject => ({
  subresource: text('The subresource to write to.'),
  root: text('The field that the template stands for.'),
  template: text('A Go template whose output is YAML.'),
  type: { ...text('The kind of patch.'), enum: [...types] },
  impersonation,
})
const stagePatch = object('A patch of the object.', patch(['json', 'merge', 'strategic']))

const spec = object(
  'What the stage is for, when it is played, and what happens then.',
  {
    resourceRef: object(
      'The kind of the objects.',
      {
        apiGroup: { ...text('Group and version of the kind.'), default: 'v1' },
        kind: text('The kind.'),
      },
      ['kind'],
    ),
    selector: object('Which objects are in this stage. None without a selector, all with an empty one.', {
      matchLabels: map('Labels that they have.'),
      matchAnnotations: map('Annotations that they have.'),
      matchExpressions: list(
        'Conditions that all hold.',
        object('A condition, by key, jq or cel.', {
          ...comparison,
          jq: object('A comparison of what a jq filter gives.', comparison),
          cel,
        }),
      ),
    }),
    weight: { ...number('Its weight in the draw among the stages that match.'), minimum: 0 },
    weightFrom: from('Where the weight comes from instead.'),
    delay: object('How long it waits before it is played.', {
      durationMilliseconds: number('At least so long.'),
      durationFrom: from('A time or a duration instead.'),
      jitterDurationMilliseconds: number('At most so long; the duration itself if that is longer.'),
      jitterDurationFrom: from('A time or a duration instead.'),
    }),
    next: object('What happens; steps are newer.', {
      event,
      finalizers,
      delete: flag('The object is deleted.'),
      patches: list('Patches, in order.', stagePatch),
      statusTemplate: text('A Go template of the status.'),
      statusSubresource: text('The subresource that the status is written to.'),
      statusPatchAs: impersonation,
    }),
    steps: list(
      'What happens, in order.',
      object('One of these.', {
        event,
        finalizers,
        delete: flag('The object is deleted.'),
        patch: stagePatch,
        apply: object('Another object to make, or to change.', patch(['apply', 'merge', 'strategic'])),
      }),
    ),
    immediateNextStage: flag('The next stage is looked for at once, even if nothing changed.'),
  },
  ['resourceRef'],
)

export const stageDefinition: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: `stages.${stageGroup}`,
    annotations: { 'api-approved.kubernetes.io': 'unapproved, as KWOK has it' },
  },
  spec: {
    group: stageGroup,
    names: { kind: 'Stage', listKind: 'StageList', plural: 'stages', singular: 'stage' },
    scope: 'Cluster',
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: object('A step in the life of objects of one kind.', {
            apiVersion: { type: 'string' },
            kind: { type: 'string' },
            metadata: { type: 'object' },
            spec,
            status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          }),
        },
      },
    ],
  },
}
