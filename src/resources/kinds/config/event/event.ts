/**
 * Event: one kind of object with two doors. Through the core group nearly anything goes; through `events.k8s.io` an
 * event says who saw what and when, and later only counts how often. Rules see the core shape in both.
 * Mirrors pkg/apis/core/validation: ValidateEventCreate, ValidateEventUpdate.
 * Mirrors pkg/registry/core/event: eventStrategy.
 */

import { type FieldError, invalid, required } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import { writingOf } from '../../../../api/given-writing.ts'
import type { RenderedValue } from '../../../../api/golang/literal.ts'
import { goTimeField, goZeroTime } from '../../../../api/golang/time.ts'
import { equalJson, type JsonValue } from '../../../../api/json.ts'
import { checkDns1123Subdomain, checkQualifiedName, checkSubdomainName } from '../../../../api/names.ts'
import type { KubeObject } from '../../../../api/object.ts'
import { goNull, goStruct, invalidAs, podSyntaxText } from '../../../../catalog/golang/pod-syntax.ts'
import type { Event as EventType, ObjectReference } from '../../../../catalog/types/core-v1.ts'
import { pushAll } from '../../../../lib/push-all.ts'
import { validateObjectMeta } from '../../../../registry/object-meta.ts'
import { addMessages, immutableMessage } from '../../../checks/checks.ts'
import type { KindRules } from '../../../kind-rules.ts'

type Event = KubeObject & Omit<EventType, 'kind' | 'apiVersion' | 'metadata'>

/** Through it, events may still be as old clients write them. */
const olderVersion = 'events.k8s.io/v1beta1'
const maxTextLength = 128
const maxMessageLength = 1024

/** What both doors ask. `controllerField` is the name of `reportingComponent` in the version of the request. */
function validateEither(event: Event, controllerField: string): FieldError[] {
  const namespace = event.metadata.namespace ?? ''
  const errors = event.eventTime == null ? validateOldNamespace(event) : validateNew(event, controllerField)
  for (const message of checkDns1123Subdomain(namespace)) errors.push(invalid('namespace', namespace, message))
  return errors
}

const mismatch = ({ involvedObject }: Event): FieldError =>
  invalid('involvedObject.namespace', involvedObject.namespace ?? '', 'does not match event.namespace')

/** Events without `eventTime` come from old clients. */
function validateOldNamespace(event: Event): FieldError[] {
  const namespace = event.metadata.namespace ?? ''
  const about = event.involvedObject.namespace ?? ''
  const matches = about === '' ? namespace === '' || namespace === 'default' : namespace === about
  return matches ? [] : [mismatch(event)]
}

function validateNew(event: Event, controllerField: string): FieldError[] {
  const errors: FieldError[] = []
  const namespace = event.metadata.namespace ?? ''
  const about = event.involvedObject.namespace ?? ''
  if (about === '' && namespace !== 'default' && namespace !== 'kube-system') errors.push(mismatch(event))
  const controller = event.reportingComponent
  if (controller === '') errors.push(required(controllerField))
  addMessages(errors, FieldPath.of(controllerField), controller, checkQualifiedName(controller))
  const text = (field: string, value: string): void => {
    if (value === '') errors.push(required(field))
    checkLength(errors, field, value, maxTextLength)
  }
  text('reportingInstance', event.reportingInstance)
  text('action', event.action ?? '')
  text('reason', event.reason ?? '')
  checkLength(errors, 'message', event.message ?? '', maxMessageLength)
  return errors
}

function checkLength(errors: FieldError[], field: string, value: string, limit: number): void {
  if (Buffer.byteLength(value) > limit) errors.push(invalid(field, '', `can have at most ${limit} characters`))
}

function validateSeries({ series }: Event): FieldError[] {
  if (series === undefined) return []
  const errors: FieldError[] = []
  if ((series.count ?? 0) < 2) errors.push(invalid('series.count', '', 'should be at least 2'))
  if (series.lastObservedTime == null) errors.push(required('series.lastObservedTime'))
  return errors
}

/** Metadata is looked at in between, as the reference does. */
function validateStrict(event: Event): FieldError[] {
  const errors = validateEither(event, 'reportingController')
  pushAll(errors, validateObjectMeta(event.metadata, strictMetadata))
  pushAll(errors, validateSeries(event))
  if (event.eventTime == null) errors.push(required('eventTime'))
  const { type = '' } = event
  if (type !== 'Normal' && type !== 'Warning') errors.push(invalid('type', '', `has invalid value: ${type}`))
  const unset = (field: string, isSet: boolean): void => {
    if (isSet) errors.push(invalid(field, '', 'needs to be unset'))
  }
  unset('firstTimestamp', event.firstTimestamp != null)
  unset('lastTimestamp', event.lastTimestamp != null)
  unset('count', (event.count ?? 0) !== 0)
  unset('source', (event.source.component ?? '') !== '' || (event.source.host ?? '') !== '')
  return errors
}

const strictMetadata = { namespaced: true, anyFinalizer: false, validateName: checkSubdomainName }

const goReference = (type: string, reference: ObjectReference): RenderedValue =>
  goStruct(type, {
    Kind: podSyntaxText(reference.kind),
    Namespace: podSyntaxText(reference.namespace),
    Name: podSyntaxText(reference.name),
    UID: podSyntaxText(reference.uid),
    APIVersion: podSyntaxText(reference.apiVersion),
    ResourceVersion: podSyntaxText(reference.resourceVersion),
    FieldPath: podSyntaxText(reference.fieldPath),
  })

interface FixedField {
  readonly field: keyof EventType
  /** Of its causes, where that is another. */
  readonly name?: string
  /** Absent for a text. */
  readonly show?: (event: Event) => RenderedValue
}

const fixedTime = (field: 'firstTimestamp' | 'lastTimestamp' | 'eventTime'): FixedField => ({
  field,
  show: (event) => {
    const time = event[field]
    return typeof time === 'string' ? goTimeField(time, writingOf(event, field)) : goZeroTime
  },
})

/** What stays as it is once it was written through `events.k8s.io`, in the order of the causes. */
const fixedFields: readonly FixedField[] = [
  { field: 'involvedObject', show: ({ involvedObject }) => goReference('core.ObjectReference', involvedObject) },
  { field: 'reason' },
  { field: 'message' },
  {
    field: 'source',
    show: ({ source: { component, host } }) =>
      goStruct('core.EventSource', { Component: podSyntaxText(component), Host: podSyntaxText(host) }),
  },
  fixedTime('firstTimestamp'),
  fixedTime('lastTimestamp'),
  { field: 'count', show: ({ count = 0 }) => String(count) },
  { field: 'reason' },
  { field: 'type' },
  fixedTime('eventTime'),
  { field: 'action' },
  {
    field: 'related',
    show: ({ related }) => (related === undefined ? goNull : goReference('core.ObjectReference', related)),
  },
  { field: 'reportingComponent', name: 'reportingController' },
  { field: 'reportingInstance' },
]

function validateStrictUpdate(event: Event, old: Event): FieldError[] {
  const errors = validateEither(event, 'reportingController')
  if (!equalJson(event.series as JsonValue | undefined, old.series as JsonValue | undefined)) {
    pushAll(errors, validateSeries(event))
  }
  for (const { field, name = field, show } of fixedFields) {
    if (equalJson(event[field] as JsonValue | undefined, old[field] as JsonValue | undefined)) continue
    const at = FieldPath.of(name)
    if (show === undefined) errors.push(invalid(at, (event[field] ?? '') as string, immutableMessage))
    else errors.push(invalidAs(at, () => show(event), immutableMessage))
  }
  return errors
}

const reference = (field: keyof ObjectReference) => (object: KubeObject) =>
  (object as Event).involvedObject[field] ?? ''

const fields = {
  'involvedObject.kind': reference('kind'),
  'involvedObject.namespace': reference('namespace'),
  'involvedObject.name': reference('name'),
  'involvedObject.uid': reference('uid'),
  'involvedObject.apiVersion': reference('apiVersion'),
  'involvedObject.resourceVersion': reference('resourceVersion'),
  'involvedObject.fieldPath': reference('fieldPath'),
  reason: (object: KubeObject) => (object as Event).reason ?? '',
  reportingComponent: (object: KubeObject) => (object as Event).reportingComponent,
  source: (object: KubeObject) => {
    const { source, reportingComponent } = object as Event
    return (source.component ?? '') === '' ? reportingComponent : (source.component ?? '')
  },
  type: (object: KubeObject) => (object as Event).type ?? '',
}

export function coreEventRules(): KindRules<Event> {
  const validate = (event: Event): FieldError[] => validateEither(event, 'reportingComponent')
  return {
    strategy: {
      validateMetadata: () => [],
      validateMetadataUpdate: () => [],
      validate,
      validateUpdate: validate,
    },
    fields,
  }
}

export function eventRules(): KindRules<Event> {
  return {
    strategy: {
      validateMetadata: () => [],
      validate: (event, { apiVersion }) =>
        apiVersion === olderVersion ? validateEither(event, 'reportingController') : validateStrict(event),
      validateUpdate: (event, old, { apiVersion }) =>
        apiVersion === olderVersion ? validateEither(event, 'reportingController') : validateStrictUpdate(event, old),
    },
    fields,
  }
}
