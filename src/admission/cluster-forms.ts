/** What webhooks and policies need of the server: other versions of resources, decoding, services and credentials. */

import type { AdmissionRequest } from '../api/admission.ts'
import { GoNative } from '../api/golang/native.ts'
import { formatGroupVersion } from '../api/group-version.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import { typesOf } from '../catalog/catalog.ts'
import { DeclaredType } from '../cel/declared-type.ts'
import { JsonDocument } from '../codec/json.ts'
import { ConfigError } from '../config/config-error.ts'
import { reasonOf } from '../lib/fault.ts'
import { type ClientIdentity, readKubeconfigUsers } from '../outbound/kubeconfig.ts'
import { atomicPaths } from '../patch/apply/atomic-paths.ts'
import { mergeValues } from '../patch/apply/merge.ts'
import { formatErrors, isAboutDuplicates, undeclaredField, validateConfig } from '../patch/apply/validate-config.ts'
import { restoreError } from '../patch/restore-error.ts'
import { anyVersion, fromHub } from '../registry/convert.ts'
import { typedModel } from '../registry/model/typed-model.ts'
import type { Registries } from '../registry/registries.ts'
import type { Schema } from '../schema/schema.ts'
import type { EquivalentForms, ServedForm } from './matching/rules.ts'
import type { FindParamKind } from './policy/params.ts'
import type { TypeFinder } from './policy/type-checking.ts'

/**
 * The other versions of a resource, also in other groups that serve the same objects; of a custom resource also those
 * that are not served. Subresources that have a kind of their own come in that kind only, whatever the version.
 */
export function equivalentForms(registries: () => Registries): EquivalentForms {
  return ({ group, version, resource }, subresource): readonly ServedForm[] => {
    const definition = registries().get(group, resource)?.definition
    if (definition === undefined) return []
    const others = definition.otherGroups?.flatMap((each) => registries().get(each, resource)?.definition ?? []) ?? []
    const { versions } = definition.model
    return [definition, ...others]
      .flatMap((each) => versions.all(each))
      .filter((each) => each.group !== group || each.version !== version)
      .flatMap((each) => {
        const kind = versions.partKind(each, subresource)
        return kind === undefined ? [] : { resource: { group: each.group, version: each.version, resource }, kind }
      })
  }
}

/** Merges a configuration into an object by its schema: maps by key, lists by their keys. */
export function configurationMerger(registries: () => Registries, { allowsDuplicates }: { allowsDuplicates: boolean }) {
  return ({ resource, kind }: AdmissionRequest, object: KubeObject, configuration: JsonObject): JsonObject => {
    const definition = registries().get(resource.group, resource.resource)?.definition
    const version = definition && anyVersion(definition, object.apiVersion)
    const schema =
      (version?.kind === object.kind ? version.schema : undefined) ??
      typesOf(definition?.hub.schema).schemaForKind(kind)
    if (schema === undefined) throw new Error(`Resource kind ${object.kind} not found`)
    const patch = { ...configuration, apiVersion: object.apiVersion, kind: object.kind }
    refuseConfiguration(schema, patch)
    refuseOriginal(schema, object, allowsDuplicates)
    refuseNatives(patch)
    const merged = mergeValues(schema, object, patch) as JsonObject
    const isTyped = schema.kind === 'object' && schema.name !== undefined
    const problem = isTyped ? restoreError(merged, { schema }) : undefined
    if (problem === undefined) return merged
    const what = `${kind.group}/${kind.version}, Kind=${kind.kind}`
    throw new Error(`unable to convert unstructured object to ${what}: ${problem}`)
  }
}

/**
 * The reference brings what a mutating policy made straight into the version of the request. Between two versions of a
 * built-in kind there is no such way, so that policies that name another version of it refuse what they would change.
 */
export function conversionProblem(registries: () => Registries) {
  return ({ resource, kind }: AdmissionRequest, object: KubeObject): string | undefined => {
    const definition = registries().get(resource.group, resource.resource)?.definition
    if (definition?.model.versions.convertsAdmitted === true || object.apiVersion === formatGroupVersion(kind))
      return undefined
    const version = object.apiVersion.slice(object.apiVersion.indexOf('/') + 1)
    return `converting (${version}.${object.kind}) to (${kind.version}.${kind.kind}): unknown conversion`
  }
}

/** What is of its type may still have list elements twice, or without their keys. */
function refuseOriginal(schema: Schema, object: JsonObject, allowsDuplicates: boolean): void {
  const { errors } = validateConfig(schema, object)
  const wrong = allowsDuplicates ? errors.filter((error) => !isAboutDuplicates(error)) : errors
  if (wrong.length === 0) return
  throw new Error(`error applying patch: failed to convert original object to typed object: ${formatErrors(wrong)}`)
}

/** It must fit the type, and not replace what is only kept whole. */
function refuseConfiguration(schema: Schema, patch: JsonObject): void {
  const { errors, unknown } = validateConfig(schema, patch)
  const wrong = [...errors, ...unknown.map(undeclaredField)]
  if (wrong.length > 0) {
    throw new Error(`error applying patch: failed to convert patch object to typed object: ${formatErrors(wrong)}`)
  }
  const atomics = atomicPaths(schema, patch)
  if (atomics.length === 0) return
  const places = atomics.join(', ')
  throw new Error(
    `error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${places}`,
  )
}

/** Where anything may be, the schema refuses nothing; but what JSON does not have cannot be kept. */
function refuseNatives(value: JsonValue | undefined): void {
  if (value instanceof GoNative) throw new Error(`error applying patch: cannot deep copy ${value.type}`)
  if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) refuseNatives(each)
}

/** Groups of other servers in the reference, of which it has no typed clients. */
const dynamicGroups: ReadonlySet<string> = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io'])

/** The live objects of a kind that a policy takes its parameters from. */
export function paramKindFinder(registries: () => Registries): FindParamKind {
  return async (apiVersion, kind) => {
    for (const { definition } of registries().all()) {
      const version = definition.versions.find((each) => each.apiVersion === apiVersion && each.kind === kind)
      if (version === undefined) continue
      const objects = await registries().source(definition.group, definition.resource)
      const isTyped = definition.model === typedModel && !dynamicGroups.has(definition.group)
      return { namespaced: definition.namespaced, objects, isTyped, convert: (object) => fromHub(version, object) }
    }
    return undefined
  }
}

/** The types of objects as expressions see them. */
export function typeFinder(registries: () => Registries): TypeFinder {
  return {
    ofResource(group, version, resource) {
      const named = registries().get(group, resource)?.definition
      const definitions =
        group === '' ? [...registries().all()].map(({ definition }) => definition) : named ? [named] : []
      return definitions
        .filter((definition) => definition.resource === resource)
        .flatMap(({ versions }) => versions.filter((each) => each.version === version))
        .map((served) => ({ kind: served, type: new DeclaredType(served.schema, { resourceRoot: true }) }))
    },
    ofKind(apiVersion, kind) {
      for (const { definition } of registries().all()) {
        const served = definition.versions.find((each) => each.apiVersion === apiVersion && each.kind === kind)
        if (served !== undefined) return new DeclaredType(served.schema, { resourceRoot: true })
      }
      return undefined
    },
  }
}

/** Reads JSON; throws an Error with Go's text. */
export const parseJson = (text: string): JsonValue => new JsonDocument(Buffer.from(text)).value()

/** Who the server is to its webhooks: the users of the kubeconfig that the plugin's configuration names. */
export function webhookCredentials(configuration: JsonValue | undefined): (hostPort: string) => ClientIdentity {
  const file = isJsonObject(configuration) ? configuration['kubeConfigFile'] : undefined
  if (typeof file !== 'string' || file === '') return () => ({ headers: () => ({}) })
  try {
    return readKubeconfigUsers(file)
  } catch (error) {
    throw new ConfigError(reasonOf(error))
  }
}
