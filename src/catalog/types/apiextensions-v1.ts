// Made by scripts/catalog.mjs. Do not edit.
import type { JsonValue } from '../../api/json.ts'
import type { ListMeta, ObjectMeta, Status } from './meta-v1.ts'

export type ConversionRequest = {
  uid: string
  desiredAPIVersion: string
  objects: JsonValue[] | null
}

export type ConversionResponse = {
  uid: string
  convertedObjects: JsonValue[] | null
  result: Status
}

export type ConversionReview = {
  kind?: string
  apiVersion?: string
  request?: ConversionRequest
  response?: ConversionResponse
}

export type CustomResourceColumnDefinition = {
  name: string
  type: string
  format?: string
  description?: string
  priority?: number
  jsonPath: string
}

export type CustomResourceConversion = {
  strategy: string
  webhook?: WebhookConversion
}

export type CustomResourceDefinition = {
  kind?: string
  apiVersion?: string
  metadata: ObjectMeta
  spec: CustomResourceDefinitionSpec
  status: CustomResourceDefinitionStatus
}

export type CustomResourceDefinitionCondition = {
  type: string
  status: string
  lastTransitionTime: string | null
  reason?: string
  message?: string
}

export type CustomResourceDefinitionList = {
  kind?: string
  apiVersion?: string
  metadata: ListMeta
  items: CustomResourceDefinition[] | null
}

export type CustomResourceDefinitionNames = {
  plural: string
  singular?: string
  shortNames?: string[]
  kind: string
  listKind?: string
  categories?: string[]
}

export type CustomResourceDefinitionSpec = {
  group: string
  names: CustomResourceDefinitionNames
  scope: string
  versions: CustomResourceDefinitionVersion[] | null
  conversion?: CustomResourceConversion
  preserveUnknownFields?: boolean
}

export type CustomResourceDefinitionStatus = {
  conditions: CustomResourceDefinitionCondition[] | null
  acceptedNames: CustomResourceDefinitionNames
  storedVersions: string[] | null
}

export type CustomResourceDefinitionVersion = {
  name: string
  served: boolean
  storage: boolean
  deprecated?: boolean
  deprecationWarning?: string
  schema?: CustomResourceValidation
  subresources?: CustomResourceSubresources
  additionalPrinterColumns?: CustomResourceColumnDefinition[]
  selectableFields?: SelectableField[]
}

export type CustomResourceSubresourceScale = {
  specReplicasPath: string
  statusReplicasPath: string
  labelSelectorPath?: string
}

export type CustomResourceSubresourceStatus = Record<string, never>

export type CustomResourceSubresources = {
  status?: CustomResourceSubresourceStatus
  scale?: CustomResourceSubresourceScale
}

export type CustomResourceValidation = {
  openAPIV3Schema?: JSONSchemaProps
}

export type ExternalDocumentation = {
  description?: string
  url?: string
}

export type JSONSchemaProps = {
  id?: string
  $schema?: string
  $ref?: string
  description?: string
  type?: string
  format?: string
  title?: string
  default?: JsonValue
  maximum?: number
  exclusiveMaximum?: boolean
  minimum?: number
  exclusiveMinimum?: boolean
  maxLength?: number
  minLength?: number
  pattern?: string
  maxItems?: number
  minItems?: number
  uniqueItems?: boolean
  multipleOf?: number
  enum?: JsonValue[]
  maxProperties?: number
  minProperties?: number
  required?: string[]
  items?: JSONSchemaProps | JSONSchemaProps[] | null
  allOf?: JSONSchemaProps[]
  oneOf?: JSONSchemaProps[]
  anyOf?: JSONSchemaProps[]
  not?: JSONSchemaProps
  properties?: Record<string, JSONSchemaProps>
  additionalProperties?: JSONSchemaProps | boolean
  patternProperties?: Record<string, JSONSchemaProps>
  dependencies?: Record<string, JSONSchemaProps | string[] | null>
  additionalItems?: JSONSchemaProps | boolean
  definitions?: Record<string, JSONSchemaProps>
  externalDocs?: ExternalDocumentation
  example?: JsonValue
  nullable?: boolean
  'x-kubernetes-preserve-unknown-fields'?: boolean
  'x-kubernetes-embedded-resource'?: boolean
  'x-kubernetes-int-or-string'?: boolean
  'x-kubernetes-list-map-keys'?: string[]
  'x-kubernetes-list-type'?: string
  'x-kubernetes-map-type'?: string
  'x-kubernetes-validations'?: ValidationRule[]
}

export type SelectableField = {
  jsonPath: string
}

export type ServiceReference = {
  namespace: string
  name: string
  path?: string
  port?: number
}

export type ValidationRule = {
  rule: string
  message?: string
  messageExpression?: string
  reason?: string
  fieldPath?: string
  optionalOldSelf?: boolean
}

export type WebhookClientConfig = {
  url?: string
  service?: ServiceReference
  caBundle?: string
}

export type WebhookConversion = {
  clientConfig?: WebhookClientConfig
  conversionReviewVersions: string[] | null
}
