// The internal types that messages print in Go's syntax: their fields in order, and what is a pointer. Everything that can be
// reached from the roots, which are the types that our rules print (`internalType('core.PodSpec')`).
import { isPredeclared, jsonTag } from './go-packages.mjs'

/** What src/resources prints: `goSyntax('core.PodTemplateSpec', …)` and the like. */
const roots = [
  'apiextensions.CustomResourceDefinitionVersion',
  'apps.DaemonSetUpdateStrategy',
  'apps.DeploymentStrategy',
  'apps.StatefulSetUpdateStrategy',
  'batch.PodFailurePolicy',
  'batch.SuccessPolicy',
  'certificates.CertificateSigningRequestCondition',
  'core.PersistentVolumeSource',
  'core.PersistentVolumeSpec',
  'core.PodTemplateSpec',
  'flowcontrol.FlowSchemaSpec',
  'flowcontrol.PriorityLevelConfigurationSpec',
  'resource.AllocationResult',
  'resource.DeviceAttribute',
  'resource.ResourceClaimTemplateSpec',
  'storage.CSINodeDriver',
  // Hashes of templates are those of the version.
  'v1.PodTemplateSpec',
]
/** Roots that came with a later release than the default one. */
const laterRoots = [
  'certificates.PodCertificateRequestSpec',
  'resource.ResourcePoolStatusRequestStatus',
  'scheduling.PodGroup',
  'scheduling.TypedLocalObjectReference',
]
const v1 = 'staging/src/k8s.io/apimachinery/pkg/apis/meta/v1'
/** Shares its name with that of the metadata, and no type that is reached. */
const coreV1 = 'staging/src/k8s.io/api/core/v1'
const homes = { v1, apiextensions: 'staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions' }
/** Known to src/catalog/internal-types.ts by name. */
const known = new Set([
  ...[
    'types.UID',
    'types.NodeName',
    'resource.Quantity',
    'time.Time',
    'v1.FieldsV1',
    'runtime.RawExtension',
    'v1.Time',
  ],
  ...['intstr.IntOrString', 'v1.MicroTime', 'apiextensions.JSON', 'apiextensions.JSONSchemaPropsOrArray'],
  'apiextensions.JSONSchemaPropsOrStringArray',
])

/** Lines as src/catalog/internal-types.ts reads them, without types that only reach others. */
export function internalTypeFacts(checkout) {
  const lines = new Map()
  for (const root of roots) add(root)
  for (const root of laterRoots) if (declaration(root) !== undefined) add(root)
  return `${[...lines.keys()]
    .sort((a, b) => Number(lines.get(b).includes('=')) - Number(lines.get(a).includes('=')) || (a < b ? -1 : 1))
    .map((name) => lines.get(name))
    .join('\n')}\n`

  function declaration(name) {
    const [home, short] = name.split('.')
    const own = checkout.package(homes[home] ?? `pkg/apis/${home}`)?.types.get(short)
    return own ?? (home === 'v1' ? checkout.package(coreV1)?.types.get(short) : undefined)
  }

  function add(name) {
    if (lines.has(name) || known.has(name) || isPredeclared(name)) return
    const declared = declaration(name)
    if (declared === undefined) throw new Error(`there is no internal type ${name}`)
    lines.set(name, '')
    lines.set(
      name,
      declared.type.kind === 'struct' ? structLine(name, declared) : `${name}=${goType(declared.type, declared.file)}`,
    )
  }

  function structLine(name, { type, file }) {
    const fields = type.fields
      .filter((field) => /^[A-Z]/.test(field.name))
      .map((field) => `${field.name}${keyText(name, field)}:${goType(field.type, file)}`)
    return [name, ...fields].join(' ')
  }

  /** The key in JSON where it is not the name with a small first letter; none for what is inlined. */
  function keyText(name, field) {
    const key = jsonKey(name, field)
    return key === field.name[0].toLowerCase() + field.name.slice(1) ? '' : `/${key}`
  }

  /** Internal types have no tags: the key is that of the newest version's field of the same name. */
  function jsonKey(name, field) {
    const [home, short] = name.split('.')
    const own = jsonTag(field.tag)
    if (own !== undefined) return own.split(',')[0]
    for (const folder of versionsOf(home)) {
      const type = checkout.package(folder).types.get(short)?.type
      const tag = type?.fields?.find((each) => each.name === field.name)?.tag
      if (tag !== undefined && jsonTag(tag) !== undefined) return jsonTag(tag).split(',')[0]
    }
    return field.embedded ? '' : field.name[0].toLowerCase() + field.name.slice(1)
  }

  /** `v1` before `v1beta2` before `v1beta1`. */
  function versionsOf(home) {
    if (home === 'apiextensions') return [`${homes.apiextensions}/v1`]
    const rank = (name) => name.replace(/^v(\d+)$/, 'v$1~').replace('alpha', ' ')
    return checkout
      .list(`staging/src/k8s.io/api/${home}`)
      .map((entry) => entry.name)
      .filter((name) => /^v\d/.test(name))
      .sort((a, b) => (rank(a) < rank(b) ? 1 : -1))
      .map((name) => `staging/src/k8s.io/api/${home}/${name}`)
  }

  function goType(type, file) {
    if (type.kind === 'pointer') return `*${goType(type.to, file)}`
    if (type.kind === 'slice') return `[]${goType(type.of, file)}`
    if (type.kind === 'map') return `map[${goType(type.key, file)}]${goType(type.value, file)}`
    if (type.kind !== 'name') return type.kind
    if (isPredeclared(type.name)) return type.name
    const found = checkout.resolveType(file, type.name)
    if (found === undefined) return type.name
    const target = found.declared.alias ? checkout.resolveType(found.declared.file, found.declared.type.name) : found
    const name = `${target.package.name}.${target.declared.name}`
    add(name)
    return name
  }
}
