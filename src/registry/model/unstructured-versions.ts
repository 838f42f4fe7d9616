/**
 * Versions of custom types: every version has rules of its own, so that a write works in the version of its request, and is
 * converted when it is stored.
 */

import { equalInSteps } from '../../api/equal-in-steps.ts'
import { formatGroupVersion } from '../../api/group-version.ts'
import { isJsonObject, type JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { unknownError } from '../../api/status-error.ts'
import { encodeJson } from '../../codec/json.ts'
import type { Awaitable } from '../../lib/awaitable.ts'
import { sortKeys } from '../../schema/json-shape.ts'
import { anyVersion, objectInVersion } from '../convert.ts'
import type { ResourceVersion } from '../resource-definition.ts'
import { groupVersionOf } from './typed-versions.ts'
import type { VersionRules } from './version-rules.ts'

/** What the versions of a definition have in common, served or not. */
export interface CustomConversion {
  /** All versions, as the definition lists them. */
  readonly versions: readonly ResourceVersion[]
  /** The conversion strategy alone: nothing is pruned, nothing filled in. What admission works with. */
  convert(object: KubeObject, apiVersion: string): Awaitable<KubeObject>
  /** An object of any version as it would be read from the store: converted, pruned, with the stored version's defaults. */
  toStored(object: KubeObject): Awaitable<KubeObject>
  /** The metadata, without what it must not hold. */
  typeMetadata(metadata: JsonObject): JsonObject
}

const scaleKind = { group: 'autoscaling', version: 'v1', kind: 'Scale' }

export function unstructuredVersions(conversion: CustomConversion): VersionRules {
  return {
    all: () => conversion.versions,
    written: ({ versions, hub }) => versions[0] ?? hub,
    toWorking: (_definition, _version, object) => object,
    fromStored: objectInVersion,
    // What admission changed is pruned, too: what was sent has been, when it was decoded.
    toStored: ({ hub }, object, { isAdmitted }) =>
      object.apiVersion === hub.apiVersion && !isAdmitted ? object : conversion.toStored(object),
    convert: (_definition, object, apiVersion) => conversion.convert(object, apiVersion),
    // Nothing is pruned, nothing filled in. Another server's conversion is asked by the request.
    convertOwned: (_definition, object, { to }) => ({ ...object, apiVersion: to.apiVersion }),
    // Another kind is reported by validation.
    *decodeAdmitted(definition, { object, type: { apiVersion, kind } }) {
      if (definition === undefined) throw new Error('a custom object without a definition')
      if (kind === '') throw new Error(`Object 'Kind' is missing in '${encodeJson(sortKeys(object))}'`)
      const { group, version: name } = groupVersionOf(apiVersion)
      const version = anyVersion(definition, apiVersion)
      if (group !== definition.group) {
        throw unknownError(
          `${group}/${name}, Kind=${kind} is unstructured and is not suitable for converting to ${JSON.stringify(formatGroupVersion(definition.hub))}`,
        )
      }
      if (version === undefined) {
        throw unknownError(`request to convert CR from an invalid group/version: ${apiVersion}`)
      }
      if (!isJsonObject(object['metadata'])) throw new Error('system metadata was not initialized')
      const typed = { ...object, metadata: conversion.typeMetadata(object['metadata']) } as KubeObject
      yield
      return (version.withDefaults?.(typed) ?? typed) as KubeObject
    },
    // Converted only: it is pruned when it is stored. A Scale is of no version of the resource.
    restoreAdmitted: ({ group }, object, { kind }) =>
      kind.group === group ? conversion.convert(object, formatGroupVersion(kind)) : object,
    equalAdmitted: equalInSteps,
    partKind(version, subresource) {
      if (subresource === '') return version
      if (version.subresources?.has(subresource) !== true) return undefined
      return subresource === 'scale' ? scaleKind : version
    },
    convertsAdmitted: true,
  }
}
