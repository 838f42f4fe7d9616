/**
 * What OpenAPI says about types and fields, and so what `kubectl explain` shows. Most of it is made from the names: a
 * field is its name in words, and its type, values and keys say the rest. Kinds and fields that everybody meets have a
 * sentence of their own.
 */
import { describedField, describedType } from '../../catalog/descriptions.ts'
import type { Field, Schema } from '../../schema/schema.ts'

const kindWords: Readonly<Record<string, string>> = {
  APIService: 'A group version that another server answers for, or this one.',
  Binding: 'Puts a pod on a node.',
  CertificateSigningRequest: 'A request for a certificate, with its approval and the certificate once issued.',
  ClusterRole: 'Permissions that hold in the whole cluster, or wherever they are bound.',
  ClusterRoleBinding: 'Gives the permissions of a cluster role to users, groups and service accounts, everywhere.',
  ComponentStatus: 'Whether a part of the control plane is well. Deprecated.',
  ConfigMap: 'Configuration as keys and values, for pods to read.',
  ControllerRevision: 'A past state of a workload, kept for rolling back.',
  CronJob: 'Starts jobs on a schedule.',
  CSIDriver: 'What a storage driver can do and how it is to be called.',
  CSINode: 'The storage drivers that run on a node.',
  CSIStorageCapacity: 'How much space a storage class has left in a part of the cluster.',
  CustomResourceDefinition: 'A kind of object that the cluster is taught to serve.',
  DaemonSet: 'Runs a copy of a pod on every node, or on those selected.',
  Deployment: 'Keeps a number of equal pods running and rolls out changes to them.',
  Endpoints: 'The addresses behind a service. Deprecated: EndpointSlice holds them now.',
  EndpointSlice: 'Some of the addresses behind a service.',
  Event: 'Something that happened to an object. Kept for a short time.',
  Eviction: 'Asks for a pod to leave its node, within what disruption budgets allow.',
  FlowSchema: 'Sorts requests into flows and sends them to a priority level.',
  HorizontalPodAutoscaler: 'Changes the number of replicas of a workload with its load.',
  Ingress: 'Routes HTTP from outside the cluster to services.',
  IngressClass: 'Which controller looks after ingresses of this class.',
  IPAddress: 'An address that is taken, and by what.',
  Job: 'Runs pods until enough of them have succeeded.',
  Lease: 'Who holds something, since when and for how long: leader election and node heartbeats.',
  LimitRange: 'Bounds and defaults for what pods of a namespace may ask for.',
  LocalSubjectAccessReview: 'Asks whether a user may do something in one namespace.',
  MutatingWebhookConfiguration: 'Web services that may change objects before they are stored.',
  Namespace: 'A scope for names, and a unit of access and quotas.',
  NetworkPolicy: 'Which traffic selected pods may receive and send.',
  Node: 'A machine that runs pods.',
  PersistentVolume: 'A piece of storage in the cluster.',
  PersistentVolumeClaim: 'A request for storage, bound to a volume.',
  Pod: 'Containers that run together on one node.',
  PodDisruptionBudget: 'How many pods of a group may be down at once for voluntary reasons.',
  PodTemplate: 'A pod to make copies of.',
  PriorityClass: 'A name for a scheduling priority.',
  PriorityLevelConfiguration: 'How many requests of a level may run at once, and how the rest waits.',
  ReplicaSet: 'Keeps a number of equal pods running.',
  ReplicationController: 'Keeps a number of equal pods running; the older form of ReplicaSet.',
  ResourceQuota: 'What all objects of a namespace together may use.',
  Role: 'Permissions within a namespace.',
  RoleBinding: 'Gives the permissions of a role to users, groups and service accounts in a namespace.',
  RuntimeClass: 'A way to run containers that pods may choose.',
  Scale: 'The number of replicas of a workload, wanted and present.',
  Secret: 'Confidential data, for pods to read.',
  SelfSubjectAccessReview: 'Asks whether you may do something.',
  SelfSubjectReview: 'Asks who you are.',
  SelfSubjectRulesReview: 'Asks what you may do in a namespace.',
  Service: 'A stable address and name for a set of pods.',
  ServiceAccount: 'An identity for programs that run in the cluster.',
  ServiceCIDR: 'A range that service addresses are taken from.',
  StatefulSet: 'Runs pods with lasting names and storage, in order.',
  Status: 'The outcome of a request that does not answer with an object.',
  StorageClass: 'A kind of storage that claims may ask for.',
  SubjectAccessReview: 'Asks whether a user may do something.',
  TokenRequest: 'Asks for a token of a service account.',
  TokenReview: 'Asks whom a token belongs to.',
  ValidatingAdmissionPolicy: 'Expressions that objects must satisfy to be stored.',
  ValidatingAdmissionPolicyBinding: 'Puts a validating policy into force, with its parameters and scope.',
  ValidatingWebhookConfiguration: 'Web services that may refuse objects before they are stored.',
  VolumeAttachment: 'Attaches a volume to a node, or shows that it is attached.',
  ObjectMeta: 'What every stored object has: name, labels, owners, version.',
  ListMeta: 'What every list has: its version, and where it goes on.',
  Patch: 'A change to an object, in one of the patch formats.',
  DeleteOptions: 'How to delete.',
  WatchEvent: 'One change, as a watch tells it.',
  Time: 'A time in UTC, to the second (RFC 3339).',
  MicroTime: 'A time in UTC, to the microsecond (RFC 3339).',
  Quantity: 'A number with a suffix: `500m`, `1.5Gi`, `2e3`.',
  IntOrString: 'A whole number, or a text such as `25%` or a port name.',
  FieldsV1: 'A set of fields, as nested keys.',
  RawExtension: 'An object of any kind.',
  LabelSelector: 'Selects objects by their labels. All conditions must hold; an empty one selects everything.',
}

const fieldWords: Readonly<Record<string, string>> = {
  apiVersion: 'The group and version that the object is written in, such as `apps/v1`.',
  kind: 'The kind of the object, such as `Pod`.',
  'ObjectMeta.annotations': 'Notes for tools and people. Not for selecting.',
  'ObjectMeta.creationTimestamp': 'When the object was created. Set by the server.',
  'ObjectMeta.deletionGracePeriodSeconds': 'How many seconds the object has to end by itself. Set by the server.',
  'ObjectMeta.deletionTimestamp': 'When the object will be gone, once its deletion was asked for. Set by the server.',
  'ObjectMeta.finalizers': 'What must be done before the object may go. Each is removed by whoever did it.',
  'ObjectMeta.generateName': 'The beginning of a name that the server completes, when no name is given.',
  'ObjectMeta.generation': 'Counts the changes of what is asked for. Set by the server.',
  'ObjectMeta.labels': 'Keys and values to select the object by.',
  'ObjectMeta.managedFields': 'Who set which fields. Kept by the server.',
  'ObjectMeta.name': 'The name, unique for the kind within its namespace. Never changes.',
  'ObjectMeta.namespace': 'The namespace that the object is in. Never changes.',
  'ObjectMeta.ownerReferences': 'The objects that this one belongs to. It is deleted when all of them are gone.',
  'ObjectMeta.resourceVersion': 'Changes with every write: compare it, pass it back, read nothing else into it.',
  'ObjectMeta.selfLink': 'No longer set.',
  'ObjectMeta.uid': 'Tells this object from others that had its name before or have it later. Set by the server.',
  'ListMeta.continue': 'Pass it back to get the next part of the list; empty at the end.',
  'ListMeta.remainingItemCount': 'How many objects follow this part of the list, if known.',
  'ListMeta.resourceVersion': 'The version of the whole list. A watch goes on from it.',
}

const sharedWords: Readonly<Record<string, string>> = {
  metadata: 'Name, labels and the like.',
  spec: 'What is asked for.',
  status: 'What was found. Written by controllers.',
  items: 'The objects of the list.',
  conditions: 'What has been noticed, each with its time and reason.',
  observedGeneration: 'The generation of the object that this status is about.',
  selector: 'Which objects this is about.',
}

const shortName = (typeName: string): string => typeName.slice(typeName.lastIndexOf('.') + 1)

/** A sentence about a type. */
export function typeDescription(typeName: string): string {
  const described = describedType(typeName)
  if (described !== undefined) return described
  const short = shortName(typeName)
  const own = kindWords[short]
  if (own !== undefined) return own
  const [, of, part] = /^(.+?)(Spec|Status|List|Template|TemplateSpec|Condition|Source|Rule|Options|Reference)$/.exec(
    short,
  ) ?? ['', '', '']
  switch (part) {
    case 'Spec':
      return `What is asked for in ${article(of)}.`
    case 'Status':
      return `What was found about ${article(of)}.`
    case 'List':
      return `Objects of the kind ${of}.`
    case 'Template':
    case 'TemplateSpec':
      return `${capital(article(of))} to make copies of.`
    case 'Condition':
      return `Something noticed about ${article(of)}, with its time and reason.`
    case 'Reference':
      return `Points to ${article(of)}.`
    default:
      return `${capital(words(short))}.`
  }
}

/** A sentence or two about a field. */
/** Fields that nobody describes: a reference to their type stands by itself. */
export const undescribed: ReadonlySet<string> = new Set([
  'networking.v1.IngressRule.http',
  'networking.v1beta1.IngressRule.http',
  ...['additionalItems', 'additionalProperties', 'example', 'externalDocs', 'items', 'not'].map(
    (name) => `apiextensions.v1.JSONSchemaProps.${name}`,
  ),
])

/** Empty where there is none. */
export function fieldDescription(typeName: string, field: Field, enums = true): string {
  if (undescribed.has(`${typeName}.${field.name}`)) return ''
  const described = describedField(typeName, field.name)
  if (described !== undefined) return described
  const short = shortName(typeName)
  const { name, schema } = field
  const own = fieldWords[`${short}.${name}`] ?? fieldWords[name] ?? sharedWords[name]
  return [own ?? `${fieldPhrase(name, schema, ownerWords(short))}.`, ...schemaFacts(schema, enums)].join(' ')
}

/** `PodSpec` speaks of a pod. */
const ownerWords = (short: string): string => words(short.replace(/(.)(TemplateSpec|Spec|Status)$/, '$1')).toLowerCase()

function fieldPhrase(name: string, schema: Schema, owner: string): string {
  const text = words(name)
  const of = owner === '' ? '' : ` of the ${owner}`
  switch (schema.kind) {
    case 'boolean':
      return `Whether "${text}" holds for the ${owner}`
    case 'map':
      return `The ${text}${of}, by key`
    default:
      return `The ${text}${of}`
  }
}

function schemaFacts(schema: Schema, enums: boolean): string[] {
  const facts: string[] = []
  if (schema.kind === 'list') {
    if (schema.topology === 'map') facts.push(`Keyed by ${schema.keys.join(', ')}.`)
    if (schema.topology === 'set') facts.push('No value twice.')
  }
  if (enums && 'enum' in schema && schema.enum !== undefined) {
    facts.push(`One of ${schema.enum.map((value) => JSON.stringify(value)).join(', ')}.`)
  }
  if (schema.kind === 'duration') facts.push('A duration such as `1m30s`.')
  if (schema.kind === 'bytes') facts.push('In base64.')
  return facts
}

/** `hostIPs` is `host IPs`, `podCIDR` is `pod CIDR`, `restartPolicy` is `restart policy`. */
export function words(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .split(' ')
    .map((word) => (/^[A-Z][a-z]/.test(word) ? word.toLowerCase() : word))
    .join(' ')
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
const article = (kind: string): string => `${/^[AEIO]/.test(kind) ? 'an' : 'a'} ${kind}`
