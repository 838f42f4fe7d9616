// Schemas for the tests, in few words: `object({ replicas: integer, ports: keyed(['port'], object({ port: integer })) })`.
import type { JsonValue } from '../../../api/json.ts'
import type {
  Field,
  ListSchema,
  MapSchema,
  ObjectSchema,
  ScalarKind,
  ScalarSchema,
  Schema,
} from '../../../schema/schema.ts'

const scalar = (kind: ScalarKind): ScalarSchema => ({ kind })
export const text = scalar('string')
export const integer = scalar('integer')
const boolean = scalar('boolean')
export const intOrString = scalar('int-or-string')
const time = scalar('time')
export const anything: Schema = { kind: 'any' }

/** A field that is always written; of a built-in type. */
interface Emitted {
  readonly emit: Schema
}

type FieldSpec = Schema | Emitted

interface ObjectOptions {
  readonly name?: string
  readonly atomic?: boolean
  readonly preserveUnknown?: boolean
}

/** The fields may be given by a function, for types that refer to themselves. */
export function object(
  fields: Record<string, FieldSpec> | (() => Record<string, FieldSpec>),
  options: ObjectOptions = {},
): ObjectSchema {
  const { name, atomic = false, preserveUnknown = false } = options
  let made: ReadonlyMap<string, Field> | undefined
  return {
    kind: 'object',
    name,
    atomic,
    preserveUnknown,
    embedded: false,
    get fields() {
      made ??= new Map(
        Object.entries(typeof fields === 'function' ? fields() : fields).map(([key, spec]) => [key, field(key, spec)]),
      )
      return made
    },
  }
}

function field(name: string, spec: FieldSpec): Field {
  const emit = 'emit' in spec
  return { name, schema: emit ? spec.emit : spec, required: false, pointer: false, emit }
}

const always = (schema: Schema): Emitted => ({ emit: schema })
export const withDefault = <T extends Schema>(schema: T, value: JsonValue): T => ({ ...schema, default: value })

export const map = (values: Schema, atomic = false): MapSchema => ({ kind: 'map', values, atomic })
export const atomicMap = (values: Schema): MapSchema => map(values, true)
export const list = (items: Schema): ListSchema => ({ kind: 'list', items, topology: 'atomic', keys: [] })
export const set = (items: Schema = text): ListSchema => ({ kind: 'list', items, topology: 'set', keys: [] })
export const keyed = (keys: string[], items: Schema): ListSchema => ({ kind: 'list', items, topology: 'map', keys })

const ownerReference = object(
  { apiVersion: always(text), kind: always(text), name: always(text), uid: always(text), controller: boolean },
  { name: 'meta.v1.OwnerReference', atomic: true },
)

export const objectMeta = object(
  {
    name: text,
    generateName: text,
    namespace: text,
    uid: text,
    resourceVersion: text,
    generation: integer,
    creationTimestamp: always(time),
    labels: map(text),
    annotations: map(text),
    ownerReferences: keyed(['uid'], ownerReference),
    finalizers: set(),
    managedFields: list(anything),
  },
  { name: 'meta.v1.ObjectMeta' },
)

const head = { kind: text, apiVersion: text, metadata: always(objectMeta) }

export const configMap = object({ ...head, data: map(text), immutable: boolean }, { name: 'core.v1.ConfigMap' })

const containerPort = object(
  { name: text, containerPort: always(integer), protocol: withDefault(text, 'TCP'), hostIP: text },
  { name: 'core.v1.ContainerPort' },
)
const envVar = object({ name: always(text), value: text }, { name: 'core.v1.EnvVar' })
const resources = object(
  { limits: map(scalar('quantity')), requests: map(scalar('quantity')) },
  { name: 'core.v1.ResourceRequirements' },
)
const container = object(
  {
    name: always(text),
    image: text,
    command: list(text),
    args: list(text),
    ports: keyed(['containerPort', 'protocol'], containerPort),
    env: keyed(['name'], envVar),
    resources: always(resources),
    imagePullPolicy: text,
    terminationMessagePath: text,
    terminationMessagePolicy: text,
  },
  { name: 'core.v1.Container' },
)
const podSpec = object(
  {
    volumes: keyed(
      ['name'],
      object({ name: always(text), emptyDir: object({ medium: text }, { name: 'x' }) }, { name: 'core.v1.Volume' }),
    ),
    containers: always(keyed(['name'], container)),
    restartPolicy: text,
    terminationGracePeriodSeconds: integer,
    dnsPolicy: text,
    nodeSelector: atomicMap(text),
    serviceAccountName: text,
    nodeName: text,
    schedulerName: text,
    tolerations: list(
      object({ key: text, operator: text, effect: text, tolerationSeconds: integer }, { name: 'core.v1.Toleration' }),
    ),
    priority: integer,
  },
  { name: 'core.v1.PodSpec' },
)
const condition = object(
  {
    type: always(text),
    status: always(text),
    reason: text,
    message: text,
    lastProbeTime: always(time),
    lastTransitionTime: always(time),
  },
  { name: 'core.v1.PodCondition' },
)
const podStatus = object(
  {
    phase: text,
    conditions: keyed(['type'], condition),
    hostIP: text,
    podIP: text,
    podIPs: keyed(['ip'], object({ ip: always(text) }, { name: 'core.v1.PodIP' })),
    startTime: time,
    containerStatuses: list(anything),
    qosClass: text,
  },
  { name: 'core.v1.PodStatus' },
)
export const pod = object({ ...head, spec: always(podSpec), status: always(podStatus) }, { name: 'core.v1.Pod' })

const podTemplate = object({ metadata: always(objectMeta), spec: always(podSpec) }, { name: 'core.v1.PodTemplateSpec' })
export const deployment = object(
  {
    ...head,
    spec: always(
      object(
        {
          replicas: integer,
          selector: always(object({ matchLabels: map(text) }, { name: 'meta.v1.LabelSelector', atomic: true })),
          template: always(podTemplate),
          paused: boolean,
        },
        { name: 'apps.v1.DeploymentSpec' },
      ),
    ),
    status: always(object({ replicas: integer, readyReplicas: integer }, { name: 'apps.v1.DeploymentStatus' })),
  },
  { name: 'apps.v1.Deployment' },
)

export const scale = object(
  {
    ...head,
    spec: always(object({ replicas: integer }, { name: 'autoscaling.v1.ScaleSpec' })),
    status: always(object({ replicas: always(integer), selector: text }, { name: 'autoscaling.v1.ScaleStatus' })),
  },
  { name: 'autoscaling.v1.Scale' },
)

/** The same type once more: what is kept beside a schema is made anew for it. */
export function copySchema(schema: Schema, copies = new Map<Schema, Schema>()): Schema {
  const known = copies.get(schema)
  if (known !== undefined) return known
  const copy: Record<string, unknown> = { ...schema }
  copies.set(schema, copy as unknown as Schema)
  const inner = (each: Schema): Schema => copySchema(each, copies)
  if (schema.kind === 'object') {
    copy['fields'] = new Map([...schema.fields].map(([name, each]) => [name, { ...each, schema: inner(each.schema) }]))
  } else if (schema.kind === 'list') copy['items'] = inner(schema.items)
  else if (schema.kind === 'map') copy['values'] = inner(schema.values)
  return copy as unknown as Schema
}
