/**
 * Reads what the patch of a webhook or a policy made of an object: it must still be of the type that the resource has,
 * in any of its versions. What it leaves out of its type counts as that of the object which was sent.
 */

import type { AdmissionRequest } from '../api/admission.ts'
import type { JsonObject } from '../api/json.ts'
import { isHeavy } from '../api/large-values.ts'
import type { KubeObject } from '../api/object.ts'
import { defaultRelease } from '../api/release-facts.ts'
import { typesAt } from '../catalog/catalog.ts'
import { encodeJson, JsonDocument, type TypeMeta } from '../codec/json.ts'
import { encodeJsonInSteps } from '../codec/json-in-steps.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import { reasonOf } from '../lib/fault.ts'
import { inTurns, type Steps } from '../lib/in-turns.ts'
import { typedModel } from '../registry/model/typed-model.ts'
import type { Registries } from '../registry/registries.ts'

/** In its own version, with the defaults of that. Throws an Error that says what is wrong, or an answer of its own. */
export function objectDecoder(registries: () => Registries, release = defaultRelease) {
  const types = typesAt(release)
  return (request: AdmissionRequest, object: JsonObject, sent: JsonObject): Awaitable<KubeObject> => {
    const { definition, rules } = versionsOf(registries(), request)
    return inTurns(
      decoding(object, ({ document, type }) =>
        rules.decodeAdmitted(definition, { object, document, type, sent, types }),
      ),
    )
  }
}

/** Whether a patch left an object as it was. */
export type EqualAdmitted = (
  request: AdmissionRequest,
  a: KubeObject | undefined,
  b: KubeObject | undefined,
) => Awaitable<boolean>

export const admittedEquality =
  (registries: () => Registries): EqualAdmitted =>
  (request, a, b) =>
    inTurns(versionsOf(registries(), request).rules.equalAdmitted(a, b))

function versionsOf(registries: Registries, { resource, subresource }: AdmissionRequest) {
  const definition = registries.get(resource.group, resource.resource)?.definition
  // A Scale is of a built-in type, whatever the object is that it shows.
  const { versions } = definition === undefined || subresource === 'scale' ? typedModel : definition.model
  return { definition, rules: versions }
}

interface PatchedText {
  readonly document: JsonDocument
  readonly type: TypeMeta
}

function* decoding(object: JsonObject, decode: (patched: PatchedText) => Steps<KubeObject>): Steps<KubeObject> {
  const isLarge = isHeavy(object)
  const bytes = Buffer.from(isLarge ? yield* encodeJsonInSteps(object) : encodeJson(object))
  const document = isLarge ? yield* JsonDocument.inSteps(bytes) : new JsonDocument(bytes)
  yield
  return yield* decode({ document, type: typeOf(document) })
}

/** Back into the version that a write works in. */
export function versionRestorer(registries: () => Registries) {
  return (
    { resource, kind }: AdmissionRequest,
    object: KubeObject,
    before: KubeObject | undefined,
  ): Awaitable<KubeObject> => {
    const definition = registries().get(resource.group, resource.resource)?.definition
    if (definition === undefined) return object
    return definition.model.versions.restoreAdmitted(definition, object, { kind, before })
  }
}

function typeOf(document: JsonDocument): TypeMeta {
  try {
    return document.typeMeta()
  } catch (error) {
    throw new Error(`couldn't get version/kind; json parse error: ${reasonOf(error)}`)
  }
}
