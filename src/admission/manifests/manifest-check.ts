/**
 * Holds an object of a file against the rules of its kind, as if somebody made it: with defaults, and with a name that is kept for files.
 * Mirrors pkg/admission/plugin/policy/manifest/loader: defaultAndValidateVAP.
 */

import { limitErrors } from '../../api/error-limit.ts'
import type { FieldError } from '../../api/field-error.ts'
import { quote } from '../../api/golang/quote.ts'
import type { KubeObject } from '../../api/object.ts'
import { errorsAtRelease } from '../../api/release-wordings.ts'
import { aggregate } from '../../api/status-error.ts'
import { anyVersion, toHub } from '../../registry/convert.ts'
import { MetadataChecks } from '../../registry/metadata-checks.ts'
import type { Registries } from '../../registry/registries.ts'
import type { ResourceDefinition, ResourceVersion } from '../../registry/resource-definition.ts'
import type { WriteContext } from '../../registry/strategy.ts'
import type { CheckManifest } from './manifest-objects.ts'

export interface ManifestCheckSettings {
  readonly registries: () => Registries
  readonly gate: (name: string) => boolean
  /** The minor number of the release. */
  readonly release: number
}

export function manifestCheck({ registries, gate, release }: ManifestCheckSettings): CheckManifest {
  return async (object) => {
    const { definition, version } = servedKind(registries(), object)
    const full = (version.withDefaults?.(object) ?? object) as KubeObject
    const errors = await errorsOf(definition, toHub(definition, version, full), contextOf(gate))
    if (errors.length === 0) return full
    const name = object.metadata.name ?? ''
    throw new Error(`${object['kind'] as string} ${quote(name)}: ${aggregate(errorsAtRelease(errors, release))}`)
  }
}

interface ServedKind {
  readonly definition: ResourceDefinition
  readonly version: ResourceVersion
}

function servedKind(registries: Registries, { apiVersion, kind }: KubeObject): ServedKind {
  for (const { definition } of registries.all()) {
    if (definition.kind !== kind) continue
    const version = anyVersion(definition, apiVersion)
    if (version !== undefined) return { definition, version }
  }
  throw new Error(`${apiVersion} has no ${String(kind)} here: see --runtime-config`)
}

async function errorsOf(
  { strategy, namespaced }: ResourceDefinition,
  object: KubeObject,
  context: WriteContext,
): Promise<FieldError[]> {
  const checks = new MetadataChecks({ metadata: object.metadata, namespaced })
  const ofMetadata = strategy.validateMetadata?.(checks, object) ?? checks.validate()
  const slow = await strategy.validateInTurns?.(object, undefined, context)
  return [...ofMetadata, ...(slow ?? limitErrors(() => strategy.validate?.(object, context) ?? []))]
}

/** Names that are kept for files are refused where files are read, but not in files. */
const contextOf = (gate: ManifestCheckSettings['gate']): WriteContext => ({
  user: undefined,
  namespace: '',
  dryRun: true,
  now: 0,
  gate: (name) => name !== 'ManifestBasedAdmissionControlConfig' && gate(name),
})
