/** One version of a custom resource: its schema, opened when something first looks into it, and what is made of it. */
import type { PrinterColumn } from '../../api/custom-table.ts'
import { customTable } from '../../api/custom-table.ts'
import { FieldPath } from '../../api/field-path.ts'
import { formatGroupVersion, parseGroupVersion } from '../../api/group-version.ts'
import { isJsonObject, type JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import type { TableDefinition } from '../../api/table.ts'
import type { CustomResourceDefinitionVersion, JSONSchemaProps } from '../../catalog/types/apiextensions-v1.ts'
import { runToEnd, type Steps } from '../../lib/in-turns.ts'
import type { CoercedBody, ResourceVersion } from '../../registry/resource-definition.ts'
import type { SubresourceDefinition } from '../../registry/subresource.ts'
import { applyDefaults, applyDefaultsInSteps, dropNulls } from '../../schema/default.ts'
import { schemaFromOpenApi } from '../../schema/from-openapi.ts'
import { pruneObject } from '../../schema/prune.ts'
import type { ObjectSchema } from '../../schema/schema.ts'
import { validateStructural } from '../definitions/validate-structural.ts'
import { type CoerceOptions, coerceObject, coerceObjectInSteps } from './coerce-object.ts'
import { withTypedDefaults } from './default-metadata.ts'
import type { Malformed } from './object-meta.ts'
import { preservingUnknownFields } from './open-schema.ts'
import { withMetadata } from './typed-metadata.ts'

export interface VersionSource {
  readonly group: string
  readonly kind: string
  /** Without its schema, which is looked up when it is needed. */
  readonly version: Omit<CustomResourceDefinitionVersion, 'schema'>
  readonly namespaced: boolean
  readonly preserveUnknown: boolean
  /** The `openAPIV3Schema` of the version, from the stored definition. */
  readonly load: () => JsonObject | undefined
  /** The minor number of the release that is served, unless it is the default one. */
  readonly release?: number | undefined
  /** The schema of a sister version, which a body may say to be in by mistake. */
  readonly schemaOfOther: (apiVersion: string) => ObjectSchema | undefined
}

const labelsOf = (paths: readonly string[]): ReadonlyMap<string, string> => new Map(paths.map((path) => [path, path]))
const plainLabels = {
  cluster: labelsOf(['metadata.name']),
  namespace: labelsOf(['metadata.name', 'metadata.namespace']),
}

const anyObject: JsonObject = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }

export class CustomVersion {
  readonly name: string
  readonly apiVersion: string
  readonly #source: VersionSource
  #schema: ObjectSchema | undefined
  #typed: ObjectSchema | undefined
  #table: TableDefinition | undefined

  constructor(source: VersionSource) {
    this.#source = source
    this.name = source.version.name
    this.apiVersion = formatGroupVersion({ group: source.group, version: source.version.name })
  }

  get schema(): ObjectSchema {
    this.#schema ??= schemaFromOpenApi(
      withTypedDefaults(this.#source.load() ?? anyObject),
      this.#source.release,
    ) as ObjectSchema
    return this.#schema
  }

  /** With the metadata that every object has: what patches and owners of fields go by. */
  get typed(): ObjectSchema {
    this.#typed ??= withMetadata(this.#source.preserveUnknown ? this.#openSchema() : this.schema)
    return this.#typed
  }

  #openSchema(): ObjectSchema {
    return schemaFromOpenApi(
      preservingUnknownFields(this.#source.load() ?? anyObject),
      this.#source.release,
    ) as ObjectSchema
  }

  get facts(): VersionSource['version'] {
    return this.#source.version
  }

  get hasStatus(): boolean {
    return this.facts.subresources?.status !== undefined
  }

  get table(): TableDefinition {
    this.#table ??= customTable((this.facts.additionalPrinterColumns ?? []) as PrinterColumn[])
    return this.#table
  }

  /** An object that says to be of another kind or group is left as it is, but for its metadata. */
  coerce(object: JsonObject, malformed: Malformed, keepsNulls = false): CoercedBody {
    const options = this.#coercion(object, { malformed, keepsNulls })
    return 'error' in options ? { object, unknown: [], ...options } : coerceObject(object, options)
  }

  /** The same of a large object. */
  *coerceInSteps(object: JsonObject, malformed: Malformed, keepsNulls = false): Steps<CoercedBody> {
    const options = this.#coercion(object, { malformed, keepsNulls })
    return 'error' in options ? { object, unknown: [], ...options } : yield* coerceObjectInSteps(object, options)
  }

  #coercion(
    { apiVersion = '', kind: said }: JsonObject,
    how: Pick<CoerceOptions, 'malformed' | 'keepsNulls'>,
  ): CoerceOptions | { readonly error: string } {
    const { preserveUnknown, group, kind } = this.#source
    if (apiVersion !== this.apiVersion || said !== kind) {
      const parsed = parseGroupVersion(String(apiVersion))
      if (parsed === undefined) return { error: `unexpected GroupVersion string: ${String(apiVersion)}` }
      if (parsed.group !== group || said !== kind) return { schema: undefined, preserveUnknown: true, ...how }
    }
    const schema = apiVersion === this.apiVersion ? this.schema : this.#source.schemaOfOther(String(apiVersion))
    return { schema, preserveUnknown, ...how }
  }

  withDefaults(object: JsonObject): JsonObject {
    return applyDefaults(object, this.schema)
  }

  *withDefaultsInSteps(object: JsonObject): Steps<JsonObject> {
    return (yield* applyDefaultsInSteps(object, this.schema)) as JsonObject
  }

  /** An object that came from another version, with what this one knows of it. */
  adopt(object: KubeObject): KubeObject {
    const renamed = { ...object, apiVersion: this.apiVersion }
    if (this.#source.preserveUnknown) return renamed
    return dropNulls(pruneObject(renamed, this.schema).value, this.schema) as KubeObject
  }

  /** As it is read from the store: what definitions have changed since then is made good. */
  revive(object: KubeObject): KubeObject {
    const renamed = object.apiVersion === this.apiVersion ? object : { ...object, apiVersion: this.apiVersion }
    const { object: coerced } = this.coerce(renamed, 'drop')
    const { metadata } = coerced
    const kept = { ...coerced, metadata: isJsonObject(metadata) ? metadata : object.metadata } as KubeObject
    if ((kept.metadata.generation ?? 0) === 0) kept.metadata = { ...kept.metadata, generation: 1 }
    return this.withDefaults(kept) as KubeObject
  }

  /** What OpenAPI shows: nothing of a schema without a structure, which only definitions of old have. */
  #shownSchema(): JsonObject | undefined {
    const schema = this.#source.load()
    if (schema === undefined || !this.#source.preserveUnknown) return schema
    return runToEnd(validateStructural(schema as JSONSchemaProps, FieldPath.root)).length === 0 ? schema : undefined
  }

  /** `subresources` are those of this version. */
  toResourceVersion(options: {
    readonly subresources: ReadonlyMap<string, SubresourceDefinition>
    readonly deprecation: string | undefined
    readonly conversion: Pick<ResourceVersion, 'toHub' | 'fromHub'>
  }): ResourceVersion {
    const { group, kind, version } = this.#source
    const self = this
    const selectable = (version.selectableFields ?? []).map(({ jsonPath }) => jsonPath.replace(/^\./, ''))
    const plain = plainLabels[this.#source.namespaced ? 'namespace' : 'cluster']
    const fieldLabels = selectable.length === 0 ? plain : labelsOf([...plain.keys(), ...selectable])
    return {
      group,
      version: version.name,
      kind,
      apiVersion: this.apiVersion,
      get schema() {
        return self.typed
      },
      get openApi() {
        return self.#shownSchema()
      },
      get table() {
        return self.table
      },
      fieldLabels,
      coerce: (object, { keepsNulls = false } = {}) => self.coerce(object, 'refuse', keepsNulls),
      coerceInSteps: (object, { keepsNulls = false } = {}) => self.coerceInSteps(object, 'refuse', keepsNulls),
      withDefaults: (object) => self.withDefaults(object),
      withDefaultsInSteps: (object) => self.withDefaultsInSteps(object),
      ...options.conversion,
      subresources: options.subresources,
      resetFields: this.hasStatus ? ['status'] : [],
      ...(options.deprecation === undefined ? {} : { deprecation: { warning: options.deprecation } }),
    }
  }
}
