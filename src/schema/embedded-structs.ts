/**
 * The structs that the reference's types embed: their fields lie beside those of the type in JSON, and paths of type errors name the
 * struct since a release. Mirrors sigs.k8s.io/json: decodeState.object.
 */
import { hasChange } from '../api/release-changes.ts'
import { structTypeName } from './go-type.ts'
import type { Field, ObjectSchema } from './schema.ts'

const reference = ['LocalObjectReference']
const configuration = ['DeviceConfiguration']
/** Of whole objects; Protobuf has it elsewhere. */
const typeMeta = ['TypeMeta']

/** By type: the embedded struct, and the one that it embeds in turn. */
const embedded: ReadonlyMap<string, readonly string[]> = new Map([
  ['ConfigMapEnvSource', reference],
  ['ConfigMapKeySelector', reference],
  ['ConfigMapProjection', reference],
  ['ConfigMapVolumeSource', reference],
  ['DeviceAllocationConfiguration', configuration],
  ['DeviceClaimConfiguration', configuration],
  ['DeviceClassConfiguration', configuration],
  ['EphemeralContainer', ['EphemeralContainerCommon']],
  ['IngressRule', ['IngressRuleValue']],
  ['NamedRuleWithOperations', ['RuleWithOperations', 'Rule']],
  ['PersistentVolumeSpec', ['PersistentVolumeSource']],
  ['Probe', ['ProbeHandler']],
  ['RuleWithOperations', ['Rule']],
  ['SecretEnvSource', reference],
  ['SecretKeySelector', reference],
  ['SecretProjection', reference],
  ['Volume', ['VolumeSource']],
])

const none: readonly string[] = []

/** The embedded structs that a field lies in, as far as paths of the type's release name them. */
export function structsAround({ name, release }: ObjectSchema, { name: field, proto }: Field): readonly string[] {
  if (!namesStructs(release)) return none
  if (proto === undefined) return field === 'apiVersion' || field === 'kind' ? typeMeta : none
  if (proto.path.length < 2) return none
  return embedded.get(structTypeName(name))?.slice(0, proto.path.length - 1) ?? none
}

export const embeddedStructs = (typeName: string): readonly string[] => embedded.get(typeName) ?? none

/** Whether paths of type errors are whole at a release. */
export const namesStructs = (release: number | undefined): boolean =>
  release !== undefined && hasChange(release, 'wholeErrorPaths')
