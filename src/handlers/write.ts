/** Create and update: the body decoded and defaulted, the registry's verb, the answer. */

import { copyObjectWritings } from '../api/given-writing.ts'
import { copyObject } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import type { RequestContext } from '../api/request-context.ts'
import { badRequest, methodNotAllowed } from '../api/status-error.ts'
import { negotiateAnswer, negotiateBody, type Restrictions } from '../codec/negotiation.ts'
import { PartInterner } from '../codec/part-interner.ts'
import { type Awaitable, whenReady } from '../lib/awaitable.ts'
import { inTurns, nextTurn } from '../lib/in-turns.ts'
import { SideTable } from '../lib/memo.ts'
import { create } from '../registry/create.ts'
import type { Decoded, ExpectedBody } from '../registry/model/body-format.ts'
import type { ObjectModel } from '../registry/model/object-model.ts'
import type { ResourceVersion } from '../registry/resource-definition.ts'
import type { ServedResource } from '../registry/served-resource.ts'
import type { Strategy } from '../registry/strategy.ts'
import { replace } from '../registry/update.ts'
import { isLarge } from '../registry/write-request.ts'
import { type AnswerSettings, answerObject } from './answer.ts'
import { auditObject } from './audited-body.ts'
import { decodeBody, readRequestBody, reportStrict } from './request-body.ts'
import { writeOptions, writeRequest } from './write-options.ts'

export type WriteTarget = ServedResource & { readonly restrictions: Restrictions }

const expectedBodies = new SideTable<ResourceVersion, ExpectedBody>()

export const expectedBody = ({ version, registry }: ServedResource): ExpectedBody =>
  expectedBodies.getOrMake(version, () => makeExpectedBody(version, registry.definition.model))

const newBodies = new SideTable<ResourceVersion, ExpectedBody>()

/** The body of a create, which may well be like others before it. */
function newBody(target: ServedResource): ExpectedBody {
  const { version } = target
  return newBodies.getOrMake(version, () => {
    const { completePart, schema } = version
    const expected = expectedBody(target)
    return completePart === undefined
      ? expected
      : { ...expected, schema, interner: new PartInterner(schema, completePart) }
  })
}

function makeExpectedBody(version: ResourceVersion, { body }: ObjectModel): ExpectedBody {
  return {
    kind: version,
    // The schema of a custom type stays closed until something looks into it.
    get schema() {
      return version.schema
    },
    format: body,
    ...(version.coerce === undefined ? {} : { coerce: version.coerce }),
    ...(version.coerceInSteps === undefined ? {} : { coerceInSteps: version.coerceInSteps }),
  }
}

export async function handleCreate(
  context: RequestContext,
  settings: AnswerSettings,
  target: WriteTarget,
): Promise<void> {
  negotiateAnswer(context.header('accept'), settings.mediaTypes, target.restrictions)
  negotiateBody(context.header('content-type'), settings.mediaTypes)
  const bytes = await readRequestBody(context)
  const options = writeOptions(context, 'CreateOptions')
  const expected = newBody(target)
  const decoding = decodeBody(context, bytes, expected, settings.mediaTypes)
  const decoded = decoding instanceof Promise ? await decoding : decoding
  reportStrict(context, decoded, options.fieldValidation, expected)
  const request = writeRequest(context, target, options)
  if (request.isLarge === true) await nextTurn()
  const completing = defaulted(target, decoded, request.isLarge === true)
  const object = completing instanceof Promise ? await completing : completing
  const noting = auditObject(context, object, settings.release, decoded.lacksMetadata)
  if (noting instanceof Promise) await noting
  const written = await create(target.registry, object, request)
  if (request.isLarge === true) await nextTurn()
  await answerObject(context, settings, target, { status: 201, written })
}

export async function handleUpdate(
  context: RequestContext,
  settings: AnswerSettings,
  target: WriteTarget,
  strategy: Strategy,
): Promise<void> {
  negotiateAnswer(context.header('accept'), settings.mediaTypes, target.restrictions)
  const bytes = await readRequestBody(context)
  const options = writeOptions(context, 'UpdateOptions')
  const expected = expectedBody(target)
  const decode = (): Awaitable<Decoded> => decodeBody(context, bytes, expected, settings.mediaTypes)
  const decoding = decode()
  const first = decoding instanceof Promise ? await decoding : decoding
  reportStrict(context, first, options.fieldValidation, expected)
  let unused: Decoded | undefined = first
  const body = (): Awaitable<KubeObject> => {
    const isFirst = unused !== undefined
    const again = unused ?? decode()
    unused = undefined
    const place = (object: KubeObject): Awaitable<KubeObject> =>
      whenReady(isFirst ? auditObject(context, object, settings.release, first.lacksMetadata) : undefined, () =>
        placeObject(context, target, object),
      )
    return whenReady(again, (decoded) => whenReady(defaulted(target, decoded, isLarge(bytes.length)), place))
  }
  const { written, created } = await replace(
    target.registry,
    strategy,
    body,
    writeRequest(context, target, options),
    () => settings.authorizeCreate(context),
  )
  await answerObject(context, settings, target, { status: created ? 201 : 200, written })
}

function defaulted(
  { version }: ServedResource,
  { object, baseline }: Decoded,
  isLargeBody: boolean,
): Awaitable<KubeObject> {
  const { withDefaults, withDefaultsInSteps } = version
  const filled =
    isLargeBody && withDefaultsInSteps !== undefined
      ? inTurns(withDefaultsInSteps(object))
      : (withDefaults?.(object, baseline) ?? object)
  return whenReady(filled, (whole) => {
    const full = whole as KubeObject
    copyObjectWritings(full, object)
    return full
  })
}

/** The body must be about the object of the path; it is given back in the namespace of the path. */
export function placeObject({ info }: RequestContext, { registry }: ServedResource, object: KubeObject): KubeObject {
  const { metadata } = object
  const { name = '', namespace = '' } = metadata
  if (info.name === '') throw methodNotAllowed()
  const wanted = registry.definition.namespaced ? info.namespace : ''
  if (namespace !== '' && wanted !== '' && namespace !== wanted) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
  }
  if (name === '') {
    throw badRequest(`the name of the object (${info.name} based on URL) was undeterminable: name must be provided`)
  }
  if (name !== info.name) {
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${info.name})`)
  }
  if (metadata.namespace === (wanted === '' ? undefined : wanted)) return object
  const placed = { ...object, metadata: copyObject(metadata) }
  copyObjectWritings(placed, object)
  if (wanted === '') delete placed.metadata.namespace
  else placed.metadata.namespace = wanted
  return placed
}
