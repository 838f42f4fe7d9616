/**
 * Where the product differs from the reference on purpose. Each rule says why; what no rule explains is a fault. The rules
 * look at what was sent and what came back, never at a case's number or seed.
 */

import { placesBetween } from './compare.ts'
import {
  asksForLater,
  callsOf,
  contentType,
  embeddedPartOf,
  emptiesManagedFields,
  endsAlike,
  hasNoStreamForm,
  hasUnreadableQuery,
  isAcceptedMeanwhile,
  isDescription,
  isEstablishedMeanwhile,
  isEventStream,
  isFirstPage,
  isFirstProtobufPage,
  isNoJson,
  isOneObject,
  isOnlyMutated,
  isOwnStatus,
  isToldMeanwhile,
  isTooOld,
  isUnfolded,
  listsStreams,
  listsUnusualQuantity,
  messageOf,
  onlyPlaces,
  refusingWebhook,
  sameButStatus,
  sameCallsBut,
  sameCausesButMacroErrors,
  sortedFinalizers,
  sortedOwners,
  sortedRulesOf,
  stepOf,
  typeErrorOf,
  unfolded,
  wentOnWithout,
  withoutFlowStatus,
  withoutMacroErrors,
  withoutTermination,
} from './difference-facts.ts'
import type { Difference } from './execute.ts'
import { isMap, type Json, ordered, valueAt } from './json.ts'
import { maskValue } from './normalise.ts'
import { withParsedYaml, yamlObject } from './parsed-yaml.ts'

export interface KnownDifference {
  readonly name: string
  readonly reason: string
  readonly matches: (difference: Difference) => boolean
}

/** `Object 'Kind' is missing in …` of a body that could not be recognized; a line break, which no message has, for others. */
const missingKind = (message: string): string =>
  /^the object provided is unrecognized \(must be of type \w+\): (Object 'Kind' is missing in '.*') \(.*\)$/s.exec(
    message,
  )?.[1] ?? '\n'

/** Owners of the object that was sent: in the answer, or as a webhook or the audit is shown it. */
const ownedPlace = /^(?:body|calls\.\d+\.body\.request\.object|events\.\d+\.\w+Object)\.metadata\.managedFields/

const isRefusedByCbor = (body: Json): boolean =>
  /^\w+ in version "\w+" cannot be handled as a \w+: cbor: cannot unmarshal /.test(messageOf(body))

const sortedLines = (text: string): string => text.split('\n').sort().join('\n')

/** In Protobuf, `body[1][1].2[0].1[1].2` is the object of the second event. */
const isInWireObject = (path: readonly (string | number)[]): boolean => path.slice(2, 8).join('.') === '1.2.0.1.1.2'

const endsInitialEvents = (event: Json | undefined): boolean =>
  JSON.stringify(event).includes('k8s.io/initial-events-end')

const sortedLetters = (value: Json | undefined): string => [...JSON.stringify(value ?? null)].sort().join('')

/** A watch that sends nothing more has no answer in time. */
const noAnswer = 0

/** The events of the reference are ours and one that modifies. */
function hasOneModificationMore({ reference, server, places }: Difference): boolean {
  if (!places.every(({ path }) => path[0] === 'body')) return false
  const [theirs, ours] = [reference.body, server.body]
  if (!Array.isArray(theirs) || !Array.isArray(ours) || theirs.length !== ours.length + 1) return false
  return theirs.some(
    (event, i) =>
      valueAt(event, ['type']) === 'MODIFIED' &&
      placesBetween(
        theirs.filter((_, at) => at !== i),
        ours,
        [],
      ).length === 0,
  )
}

export const knownDifferences: readonly KnownDifference[] = [
  {
    name: 'strict patches are 400',
    reason:
      'Unknown and duplicate fields with fieldValidation=Strict are 400 for patches as for other writes; the reference answers 422.',
    matches: (difference) =>
      stepOf(difference)?.method === 'PATCH' &&
      difference.reference.status === 422 &&
      difference.server.status === 400 &&
      messageOf(difference.server.body).includes('strict decoding error'),
  },
  {
    name: 'unknown fields in an apply patch follow fieldValidation',
    reason:
      'The reference answers 500 whatever fieldValidation says and names one field; here Strict is 400 and names all, Warn warns, Ignore drops.',
    matches: (difference) =>
      contentType(difference).startsWith('application/apply-patch') &&
      difference.reference.status === 500 &&
      messageOf(difference.reference.body).includes('field not declared in schema') &&
      wentOnWithout(difference),
  },
  {
    name: 'owners in a version that a definition no longer has',
    reason:
      'The reference answers 500 to every apply to such an object, and drops all owners at the next update; here only those owners are forgotten.',
    matches: (difference) =>
      difference.reference.status === 500 &&
      [200, 201].includes(difference.server.status) &&
      messageOf(difference.reference.body).startsWith('request to convert CR to an invalid group/version'),
  },
  {
    name: 'apply to the scale of a custom object',
    reason:
      'The reference answers 500 where it tries to convert the custom object to a Scale, for the owner that it makes up for what nobody owned, or for the owners that there are; here the replicas of the scale have owners, as of built-in kinds.',
    matches: (difference) =>
      contentType(difference).startsWith('application/apply-patch') &&
      /\/scale(?:\?|$)/.test(stepOf(difference)?.path ?? '') &&
      difference.reference.status === 500 &&
      ([200, 400, 409, 422].includes(difference.server.status) ||
        /^failed to (?:create typed patch object|convert new object) |^value cannot be set because /.test(
          messageOf(difference.server.body),
        )) &&
      /^failed to (?:create manager for existing fields|convert new object).*: request to convert CR to an invalid group\/version: autoscaling\/v1$/.test(
        messageOf(difference.reference.body),
      ),
  },
  {
    name: 'apply to a custom object that does not fit the schema of the version',
    reason:
      'The reference answers 500 to every apply in a version whose schema the stored object does not fit; here what is applied is held to the schema, and the rest stays.',
    matches: (difference) =>
      contentType(difference).startsWith('application/apply-patch') &&
      difference.reference.status === 500 &&
      [200, 409, 422].includes(difference.server.status) &&
      /^failed to (?:create typed live object|create manager for existing fields: failed to convert new object .* to smd typed: )/.test(
        messageOf(difference.reference.body),
      ),
  },
  {
    name: 'a definition that is being deleted',
    reason: 'How long its deletion takes is chance.',
    matches: ({ case: { steps }, step, reference, server }) =>
      steps[step]?.path.includes('/customresourcedefinitions/') === true &&
      steps.slice(0, step).some(({ method }) => method === 'DELETE') &&
      valueAt(reference.body, ['metadata', 'deletionTimestamp']) !== undefined &&
      server.status === 404,
  },
  {
    name: 'a map in an expression has no order',
    reason: 'Go goes over it in an order of chance.',
    matches: ({ case: { steps }, step, places }) =>
      /\{'a': 'x', 'b': 'y'\}/.test(JSON.stringify(steps[step]?.body ?? null)) &&
      (places.every(({ reference, server }) => sortedLetters(reference) === sortedLetters(server)) ||
        /\{'a': 'x', 'b': 'y'\}\.map\([^"]*\.isSorted\(\)/.test(JSON.stringify(steps[step]?.body ?? null))),
  },
  {
    name: 'null in a map of texts in CBOR is an empty text',
    reason: 'As in JSON; the reference repeats the value of the key before.',
    matches: (difference) =>
      contentType(difference).endsWith('cbor') &&
      difference.places.every(
        ({ path, server }) => server === '' && valueAt(stepOf(difference)?.body, path.slice(1)) === null,
      ),
  },
  {
    name: 'addresses that the reference has lost',
    reason: 'It keeps those of services that it refused for a while, until its range is full.',
    matches: (difference) =>
      difference.reference.status === 500 &&
      messageOf(difference.reference.body).endsWith('failed to allocate a serviceIP: range is full') &&
      (difference.server.status === 201 ||
        messageOf(difference.server.body).includes('spec.parentRef.name: Required value')) &&
      onlyPlaces(difference, (path) => path === 'status' || path.startsWith('body.')),
  },
  {
    name: 'addresses that are tried in vain',
    reason:
      'For a service without a name the reference tries every address of its range; where the machine is busy, its time is over before.',
    matches: (difference) =>
      difference.reference.status === 504 &&
      messageOf(difference.reference.body).startsWith('Timeout: request did not complete within ') &&
      difference.server.status === 500 &&
      /^Internal error occurred: failed to allocate a serviceIP: IPAddress\..*: spec\.parentRef\.name: Required value$/.test(
        messageOf(difference.server.body),
      ),
  },
  {
    name: 'raw JSON is values in order',
    reason:
      'The reference compares the bytes of a controller revision’s data; here white space, escapes and ways to write a number make no difference.',
    matches: (difference) =>
      stepOf(difference)?.path.includes('/controllerrevisions/') === true &&
      difference.reference.status === 422 &&
      difference.server.status === 200 &&
      messageOf(difference.reference.body).includes('field is immutable'),
  },
  {
    name: 'managedFields: [] does not reset',
    reason: 'Only [{}] resets managed fields, and the sender owns what it changed in the same request.',
    matches: (difference) => {
      const sent = valueAt(stepOf(difference)?.body, ['metadata', 'managedFields'])
      return (
        ['[]', '[{}]'].includes(JSON.stringify(sent)) &&
        difference.places.every(({ path, reference: theirs, server: ours }) => {
          const inProtobuf = [theirs, ours].some((field) => valueAt(field, ['17']) !== undefined)
          return ownedPlace.test(path.join('.')) || (path[0] === 'body' && inProtobuf)
        })
      )
    },
  },
  {
    name: 'managedFields: [] of a webhook does not reset',
    reason:
      'The same where a mutating webhook empties them: an object that nobody owns is none here, and its owners are seen later.',
    matches: ({ case: { hooks = {} }, places }) =>
      Object.values(hooks).some(emptiesManagedFields) &&
      places.every((place) => place.path.includes('managedFields') || isOnlyMutated(place)),
  },
  {
    name: 'limit with resourceVersion=0 is honoured',
    reason: 'The reference ignores the limit and answers with the whole list.',
    matches: (difference) =>
      /[?&]limit=[1-9]/.test(stepOf(difference)?.path ?? '') &&
      /[?&]resourceVersion=0(&|$)/.test(stepOf(difference)?.path ?? '') &&
      (isFirstPage(difference) || isFirstProtobufPage(difference)),
  },
  {
    name: 'bookmarks are bare',
    reason:
      'A BOOKMARK has kind, apiVersion and metadata.resourceVersion (and its annotation) only; the reference adds the empty fields of the kind.',
    matches: ({ reference, server, places }) =>
      places.every(({ path, server: ours }) => {
        const [theirs, other] = [reference.body, server.body].map((body) =>
          Array.isArray(body) ? valueAt(body, path.slice(1, 2)) : body,
        )
        if (isMap(theirs)) return ours === undefined && theirs['type'] === 'BOOKMARK'
        const isBookmark = [theirs, other].every((event) => valueAt(event, [0, '1']) === 'BOOKMARK')
        return isBookmark && isInWireObject(path) && endsInitialEvents(theirs) === endsInitialEvents(other)
      }),
  },
  {
    name: 'a single object can be watched by ?watch',
    reason: 'The reference ignores ?watch on the path of one object.',
    matches: (difference) =>
      stepOf(difference)?.method === 'GET' &&
      /[?&]watch(?!=(?:0|false)\b)/.test(stepOf(difference)?.path ?? '') &&
      (listsStreams(difference) ||
        hasNoStreamForm(difference) ||
        (isOneObject(difference.reference.body) && difference.server.status === noAnswer) ||
        (isOneObject(difference.reference.body) &&
          isEventStream(difference.server.body) &&
          onlyPlaces(difference, (path) => /^(body|contentType|layout)\b/.test(path)))),
  },
  {
    name: 'owners in the order of their seconds',
    reason:
      'managedFields are sorted by the second of each write, and whether two writes fall into one second is chance.',
    matches: ({ reference, server, places }) =>
      places.every(({ path }) => path.includes('managedFields')) &&
      [reference, server]
        .map((observed) => JSON.stringify(sortedOwners(observed as unknown as Json)))
        .every((text, _, [first]) => text === first),
  },
  {
    name: 'an empty dryRun is unset',
    reason: 'The reference answers 422 for a dryRun without a value.',
    matches: (difference) =>
      /[?&]dryRun(=)?(&|$)/.test(stepOf(difference)?.path ?? '') &&
      difference.reference.status === 422 &&
      messageOf(difference.reference.body).includes('dryRun'),
  },
  {
    name: 'an exact list at a future version is 504',
    reason: 'As for other reads; the reference answers 500.',
    matches: (difference) =>
      /[?&]resourceVersion=/.test(stepOf(difference)?.path ?? '') &&
      difference.reference.status === 500 &&
      difference.server.status === 504,
  },
  {
    name: 'an unreadable query is refused',
    reason: 'What narrows a request and cannot be read must not widen it: 400. The reference drops the parameter.',
    matches: (difference) =>
      difference.server.status === 400 &&
      (stepOf(difference)?.method === 'HEAD'
        ? hasUnreadableQuery(stepOf(difference)?.path ?? '')
        : messageOf(difference.server.body).startsWith('unreadable query')),
  },
  {
    name: 'a NUL in a selector is refused',
    reason: 'The same: the reference takes it for the end of the selector, so that the rest of it does not count.',
    matches: (difference) =>
      /[?&](?:label|field)Selector=[^&]*%00/.test(stepOf(difference)?.path ?? '') &&
      difference.server.status === 400 &&
      messageOf(difference.server.body).includes("found '\\x00'"),
  },
  {
    name: 'an empty namespace in a path is refused',
    reason: 'The reference takes DELETE /api/v1/namespaces//pods for all namespaces.',
    matches: (difference) =>
      stepOf(difference)?.path.includes('/namespaces//') === true && [400, 404, 405].includes(difference.server.status),
  },
  {
    name: 'the version names the product',
    reason: '/version has this product’s own build and runtime.',
    matches: (difference) =>
      /^\/version\/?$/.test(stepOf(difference)?.path ?? '') &&
      onlyPlaces(difference, (path) => path.startsWith('body.')),
  },
  {
    name: 'Protobuf for a custom resource is 415',
    reason:
      'The reference breaks the connection, or with fieldValidation=Ignore says what is wrong with bytes that are none.',
    matches: ({ reference, server }) =>
      (reference.status === 0 || messageOf(reference.body).includes('not appear to be a protobuf message')) &&
      server.status === 415 &&
      messageOf(server.body).startsWith('the body of the request was in an unknown format'),
  },
  {
    name: 'CBOR is read as the JSON that it stands for',
    reason:
      'A number is taken for a quantity, text for bytes in base64, a whole float for an integer; keys that are no text and custom objects without a kind are refused in other words.',
    matches: (difference) =>
      contentType(difference).endsWith('cbor') &&
      /\bcbor: (cannot unmarshal|found unknown field|unexpected|\d+ bytes of extraneous)|: (unexpected )?EOF/.test(
        [messageOf(difference.reference.body), ...difference.reference.warnings].join(' '),
      ) &&
      (difference.reference.status !== difference.server.status ||
        // What is taken goes on to admission, which may refuse it with the same status.
        (isRefusedByCbor(difference.reference.body) &&
          onlyPlaces(difference, (path) => /^(warnings|body|events|calls)\b/.test(path))) ||
        onlyPlaces(difference, (path) => /^(warnings|body\.message|body$|body\.1\.2\.\d+\.3|events)/.test(path))),
  },
  {
    name: 'quantities in lists that are owned whole',
    reason:
      'The reference compares them as they were parsed, so that one in another form than the stored one takes the list from its owner at every write; here they are compared by value.',
    matches: (difference) =>
      listsUnusualQuantity(stepOf(difference)?.body) &&
      onlyPlaces(difference, (path) => /\bmetadata\.(managedFields|resourceVersion)\b/.test(path)),
  },
  {
    name: 'bytes that are null are empty',
    reason:
      'Go tells them apart in the event of the request and for webhooks; what is stored and answered is the same.',
    matches: ({ places }) =>
      places.every(
        ({ path, reference, server }) =>
          /^(events\.\d+\.requestObject|calls\.\d+\.body\.request\.object)\.(data|binaryData)\./.test(path.join('.')) &&
          reference === null &&
          server === '',
      ),
  },
  {
    name: 'a patch that is no JSON has its event',
    reason: 'The reference cannot encode the event of such a patch, and loses it.',
    matches: (difference) =>
      stepOf(difference)?.method === 'PATCH' &&
      isNoJson(stepOf(difference)?.text) &&
      difference.places.every(({ path, reference }) => path[0] === 'events' && reference === undefined),
  },
  {
    name: 'a quantity with a line break is refused in CBOR, too',
    reason: 'The reference trims it in CBOR, and refuses it in JSON and YAML, where the escape is part of the text.',
    matches: (difference) =>
      contentType(difference).endsWith('cbor') &&
      difference.server.status === 400 &&
      messageOf(difference.server.body).includes('quantities must match the regular expression') &&
      /"(?:\\[nrtf]|[^"\\])*\d[A-Za-z]*(?:\\[nrtf])+"/.test(JSON.stringify(stepOf(difference)?.body ?? null)),
  },
  {
    name: 'what makes the reference panic is refused',
    reason: 'A handler of the reference that panics resets the stream; the same request is a 4xx here, or a document.',
    matches: (difference) =>
      difference.reference.status === 0 &&
      typeof difference.reference.body === 'string' &&
      difference.reference.body.includes('NGHTTP2_INTERNAL_ERROR') &&
      ((difference.server.status >= 400 && difference.server.status < 500) ||
        messageOf(difference.server.body).startsWith('list element types are not identical: ') ||
        valueAt(difference.server.body, ['kind']) === 'APIResourceList' ||
        // Then it may have been a request beside this one.
        (stepOf(difference)?.during ?? []).length > 0),
  },
  {
    name: 'metrics of an autoscaler that a webhook changed in v1',
    reason:
      'The reference converts it onto itself: the first of its metrics comes twice then, and the others as empty ones, which it refuses.',
    matches: ({ case: { steps }, step, reference, places }) =>
      /\/horizontalpodautoscalers(?:[/?]|$)/.test(steps[step]?.path ?? '') &&
      steps.some(({ path }) => path.includes('/mutatingwebhookconfigurations')) &&
      (places.every(({ path }) =>
        /^(?:body|calls\.\d+\.body\.request\.object)\.spec\.metrics\b/.test(path.join('.')),
      ) ||
        (reference.status === 422 &&
          /spec\.metrics\[\d+\]\.type: Required value: must specify a metric source type/.test(
            messageOf(reference.body),
          ))),
  },
  {
    name: 'unknown fields of custom objects in CBOR',
    reason:
      'The reference looks for them in JSON and YAML only, and takes a CBOR body with fieldValidation=Strict; here it is held to what it says.',
    matches: (difference) =>
      contentType(difference) === 'application/cbor' &&
      stepOf(difference)?.path.includes('.example.com/') === true &&
      (onlyPlaces(difference, (path) => path.startsWith('warnings')) ||
        (difference.server.status === 400 &&
          messageOf(difference.server.body).includes('strict decoding error: unknown field '))),
  },
  {
    name: 'words of a custom object without a kind',
    reason:
      'With fieldValidation=Ignore the reference says it in other words, as the error comes from another decoder.',
    matches: ({ case: { steps }, step, reference, server, places }) =>
      places.every(({ path }) => path.join('.') === 'body.message') &&
      reference.status === 400 &&
      server.status === 400 &&
      steps[step]?.path.includes('fieldValidation=Ignore') === true &&
      messageOf(reference.body).endsWith(missingKind(messageOf(server.body))),
  },
  {
    name: 'codes above 599 are 500',
    reason: 'Node’s HTTP/2 cannot send what a webhook made up; the body says the same.',
    matches: (difference) =>
      difference.reference.status > 599 &&
      difference.server.status === 500 &&
      onlyPlaces(difference, (path) => path === 'status'),
  },
  {
    name: 'a syntax error is reported alone',
    reason:
      'After a syntax error within a macro the reference also tells what its recovery made of the macro’s arguments.',
    matches: ({ reference, server, places }) =>
      places.every(({ path }) => path.at(-1) === 'message') &&
      messageOf(server.body).includes('Syntax error') &&
      (places.every(({ reference: theirs, server: ours }) => withoutMacroErrors(theirs) === withoutMacroErrors(ours)) ||
        sameCausesButMacroErrors(reference.body, server.body)) &&
      withoutMacroErrors(messageOf(reference.body)) !== messageOf(reference.body),
  },
  {
    name: 'the reference has not noticed in time',
    reason:
      'It refreshes policies every second, and no longer finds their parameters once it has stopped to follow a kind: the case cannot be compared.',
    matches: (difference) => {
      const { until } = stepOf(difference) ?? {}
      return until !== undefined && difference.reference.status !== until && difference.server.status === until
    },
  },
  {
    name: 'a limit range of another case that is gone',
    reason: 'The reference remembers those of a namespace that has none any more for 30 seconds.',
    matches: ({ case: { steps }, reference, server }) =>
      reference.status === 403 &&
      [200, 201].includes(server.status) &&
      /(?:maximum|minimum) \S+ usage per \w+ is /.test(messageOf(reference.body)) &&
      !steps.some(({ path }) => path.includes('/limitranges')),
  },
  {
    name: 'a page that ends at an object of another case',
    reason:
      'With a selector there may be more behind the last object that fits: whether there are others then is chance.',
    matches: (difference) =>
      /[?&]limit=/.test(stepOf(difference)?.path ?? '') &&
      /[?&]labelSelector=/.test(stepOf(difference)?.path ?? '') &&
      onlyPlaces(difference, (path) => path === 'body.metadata.continue'),
  },
  {
    name: 'a watch whose time is over before it begins',
    reason:
      'With a negative timeoutSeconds the reference sends what its cache has faster than its timer; here nothing is sent.',
    matches: (difference) =>
      /[?&]timeoutSeconds=-\d/.test(stepOf(difference)?.path ?? '') &&
      difference.server.body === '' &&
      difference.places.every(({ path }) => path[0] === 'body' || path[0] === 'layout'),
  },
  {
    name: 'a watch that is too old, in the words of the cache',
    reason:
      'The reference keeps no cache of events, and answers with what etcd says of a compacted revision; here all kinds are cached.',
    matches: ({ places }) =>
      places.every(
        ({ reference, server }) =>
          reference === 'The resourceVersion for the provided watch is too old.' &&
          String(server).startsWith('too old resource version: '),
      ),
  },
  {
    name: 'a watch from the beginning is too old',
    reason:
      'Revision 1, before the first write, is none that can be watched from. The reference has it where it keeps no cache, and where it filled one before the first write.',
    matches: (difference) =>
      /[?&]resourceVersion=1(?:&|$)/.test(stepOf(difference)?.path ?? '') &&
      difference.places.every(({ path }) => path[0] === 'body' || path[0] === 'layout') &&
      !isTooOld(difference.reference.body) &&
      isTooOld(difference.server.body),
  },
  {
    name: 'the names of a definition are accepted meanwhile',
    reason:
      'The status of a new definition is written by a controller, before, between or after the requests that follow.',
    matches: (difference) =>
      /\/customresourcedefinitions(?:\/|\?|$)/.test(stepOf(difference)?.path ?? '') &&
      sameButStatus(callsOf(difference.reference), callsOf(difference.server)) &&
      (difference.places.every(({ path }) => path[0] === 'calls') ||
        isOwnStatus(difference) ||
        isToldMeanwhile(difference) ||
        isEstablishedMeanwhile(difference) ||
        isAcceptedMeanwhile(difference)),
  },
  {
    name: 'the service of an APIService is looked for meanwhile',
    reason: 'A controller writes what it found to the status, before, between or after the requests that follow.',
    matches: (difference) =>
      /\/apiservices(?:\/|\?|$)/.test(stepOf(difference)?.path ?? '') &&
      difference.places.every(({ path }) => path[0] === 'calls') &&
      sameButStatus(callsOf(difference.reference), callsOf(difference.server)),
  },
  {
    name: 'the template generation of a daemon set',
    reason:
      'Its annotation is made by conversion in the reference, and by defaults here: a webhook behind one that replaced the annotations sees it again.',
    matches: ({ places }) =>
      places.every(
        ({ path, reference }) =>
          path[0] === 'calls' && path.at(-1) === 'deprecated.daemonset.template.generation' && reference === undefined,
      ),
  },
  {
    name: 'unknown fields of a root without a type',
    reason:
      'Apply knows no fields there, owns what pruning drops, and says nothing; here they are unknown fields, of which warnings tell.',
    matches: (difference) =>
      contentType(difference).startsWith('application/apply-patch') &&
      [200, 201].includes(difference.reference.status) &&
      JSON.stringify(difference.server.warnings ?? []).includes('unknown field') &&
      onlyPlaces(difference, (path) => path.startsWith('warnings') || path.startsWith('body.metadata.')),
  },
  {
    name: 'items that are no schema',
    reason:
      'A definition with `items: true` is refused by both; the reference takes it for an empty choice, here it is none.',
    matches: (difference) =>
      [difference.reference, difference.server].every(({ status }) => status === 422) &&
      /"items":(?:true|false|\d|")/.test(JSON.stringify(stepOf(difference)?.body ?? '')) &&
      onlyPlaces(difference, (path) => path === 'body.message' || path.startsWith('body.details.causes')),
  },
  {
    name: 'a status does not create its object',
    reason:
      'The reference creates a service by a PUT or an apply of its status, without the addresses that it gives to others; here there is no status of what is not there: 404.',
    matches: (difference) =>
      /\/services\/[^/?]+\/status(?:\?|$)/.test(stepOf(difference)?.path ?? '') &&
      [201, 400, 403, 409, 422, 500].includes(difference.reference.status) &&
      difference.server.status === 404,
  },
  {
    name: 'a folded diff of Go values',
    reason:
      'go-cmp chooses by chance, once a process, with which spaces it indents; YAML folds long texts at one of them and not at the other.',
    matches: ({ reference, server, places }) => {
      const [theirs, ours] = [yamlObject(reference.body), yamlObject(server.body)]
      if (!places.every(({ path }) => path.join('.') === 'body')) return false
      // Pointers are masked in the text, which is no longer YAML then.
      if (theirs === undefined || ours === undefined)
        return isUnfolded(reference.body) && unfolded(reference.body) === unfolded(server.body)
      return placesBetween(theirs, ours, []).length === 0 && /\n[-+] \t/.test(messageOf(theirs))
    },
  },
  {
    name: 'errors in the order of a Go map, in YAML',
    reason:
      'The reference tells errors of the entries of a map in any order; other encodings than YAML, which folds its lines by it, are sorted before.',
    matches: ({ reference, server, places }) =>
      places.every(({ path }) => path[0] === 'body') &&
      valueAt(reference.body, ['kind']) === 'Status' &&
      JSON.stringify(ordered(maskValue(reference.body))) === JSON.stringify(ordered(maskValue(server.body))),
  },
  {
    name: 'which of several wrong parts is named',
    reason:
      'The reference stops at the first, in the order of a Go map: of an embedded object, or of a map of built-in types.',
    matches: ({ reference, server, places }) => {
      const [theirs, ours] = [messageOf(reference.body), messageOf(server.body)]
      const onlyTexts = places.every(({ path }) => path[0] === 'body' && path.at(-1) === 'message')
      const isSame = (of: (message: string) => string | undefined) =>
        of(theirs) !== undefined && of(theirs) === of(ours)
      return onlyTexts && reference.status >= 400 && (isSame(embeddedPartOf) || isSame(typeErrorOf))
    },
  },
  {
    name: 'finalizers of a namespace in the order of a Go map',
    reason: 'The reference keeps those of a namespace that is deleted in a map while it adds and removes its own.',
    matches: ({ reference, server, places }) =>
      valueAt(reference.body, ['kind']) === 'Namespace' &&
      places.every(({ path }) => path.join('.').startsWith('body.metadata.finalizers.')) &&
      sortedFinalizers(reference.body) === sortedFinalizers(server.body),
  },
  {
    name: 'YAML and CBOR bodies are recorded',
    reason: 'The reference loses the audit events of a patch whose body is no JSON, as it cannot encode them.',
    matches: (difference) =>
      (/yaml|cbor/.test(contentType(difference)) || stepOf(difference)?.body === '') &&
      difference.places.every(({ path, reference }) => path[0] === 'events' && reference === undefined),
  },
  {
    name: 'one of several refusals of validating webhooks',
    reason: 'They are called at the same time, and the reference tells the refusal that came first.',
    matches: ({ case: { hooks = {} }, reference, server, places }) => {
      const [theirs, ours] = [refusingWebhook(reference.body), refusingWebhook(server.body)]
      const validating = Object.keys(hooks).map((name) => `${name}.example.com`)
      return (
        theirs !== ours &&
        [theirs, ours].every((name) => name?.startsWith('v') && validating.includes(name)) &&
        (Object.values(hooks).some((hook) => hook.cut === true || asksForLater(hook)) ||
          places.every(({ path }) => path[0] !== 'calls'))
      )
    },
  },
  {
    name: 'a call whose connection is cut may be made again',
    reason:
      'Over a connection that was kept from before, as it may have been closed meanwhile. The reference does so only when nothing of the request was sent, which Node does not tell.',
    matches: (difference) =>
      sameCallsBut(difference, ({ cut }) => cut === true) &&
      callsOf(difference.server).length > callsOf(difference.reference).length,
  },
  {
    name: 'the phase of a new claim is stored at once',
    reason:
      'The reference stores a persistent volume claim without its phase, which is a default: the first update that changes nothing writes it, is an event, and asks twice.',
    matches: (difference) =>
      /\/persistentvolumeclaims(?:[/?]|$)/.test(stepOf(difference)?.path ?? '') &&
      (hasOneModificationMore(difference) ||
        (sameCallsBut(difference, () => true) &&
          callsOf(difference.reference).length > callsOf(difference.server).length)),
  },
  {
    name: 'a webhook that asks to be called later is called as often as there is time',
    reason: 'How many calls fit into its time depends on how busy the machine is.',
    matches: (difference) =>
      sameCallsBut(difference, asksForLater) &&
      callsOf(difference.server).length !== callsOf(difference.reference).length,
  },
  {
    name: 'definitions go in steps',
    reason: 'How far the removal of the objects of a definition has come is seen by chance.',
    matches: (difference) =>
      stepOf(difference)?.path.includes('/customresourcedefinitions/') === true &&
      [difference.reference.body, difference.server.body].every(
        (body) => valueAt(body, ['metadata', 'deletionTimestamp']) !== undefined,
      ) &&
      onlyPlaces(difference, (path) => /^body\.(status\.conditions|metadata\.managedFields)\./.test(path)),
  },
  {
    name: 'watches of definitions that go see the steps',
    reason: 'The same: how many there are, what the last one says, and whether it has come yet.',
    matches: ({ case: { steps }, step, reference, server, places }) =>
      /\/watch\/customresourcedefinitions\b|\/customresourcedefinitions\?(?:.*&)?watch=/.test(
        steps[step]?.path ?? '',
      ) &&
      places.every(({ path }) => path[0] === 'body') &&
      endsAlike(reference.body, server.body) &&
      withoutTermination(reference.body) === withoutTermination(server.body),
  },
  {
    name: 'flow schemas get their status in a moment',
    reason: 'Both servers write it by themselves, and whether before the next request is chance.',
    matches: (difference) =>
      stepOf(difference)?.path.includes('/flowschemas/') === true &&
      ((difference.reference.status === 409 &&
        difference.server.status === 200 &&
        messageOf(difference.reference.body).includes('the object has been modified')) ||
        JSON.stringify(withoutFlowStatus(difference.reference as unknown as Json)) ===
          JSON.stringify(withoutFlowStatus(difference.server as unknown as Json))),
  },
  {
    name: 'what a binding gives to its pod is validated',
    reason: 'The reference writes annotations and, since 1.35, labels of a binding to the pod whatever they are.',
    matches: (difference) =>
      /\/binding(?:\?|$)|\/bindings(?:\?|$)/.test(stepOf(difference)?.path ?? '') &&
      difference.reference.status === 201 &&
      difference.server.status === 422 &&
      /metadata\.(?:annotations|labels): /.test(messageOf(difference.server.body)),
  },
  {
    name: 'a panic of a function in an expression',
    reason:
      'Some functions of cel-go panic where their argument is an error, which is told of as an internal one: here it is that error.',
    matches: (difference) =>
      /\binternal error: (?:interface conversion|runtime error): /.test(messageOf(difference.reference.body)) &&
      onlyPlaces(difference, (path) => /^body\.(?:message|details\.causes\.\d+\.message)$/.test(path)),
  },
  {
    name: 'an empty certificate bundle is none',
    reason:
      'The reference keeps empty bytes apart from none, and shows neither: to leave them out is a change of its own.',
    matches: (difference) =>
      /"caBundle":"(?:\\[nr])*"/.test(
        JSON.stringify(difference.case.steps.map(({ body, text }) => body ?? text ?? null)),
      ) && onlyPlaces(difference, (path) => path.endsWith('metadata.generation')),
  },
  {
    name: 'the time of a taint decides its generation',
    reason: 'A taint without a time gets that of the request: a replacement within the same second changes nothing.',
    matches: (difference) =>
      /\/devicetaintrules\//.test(stepOf(difference)?.path ?? '') &&
      onlyPlaces(difference, (path) => path.endsWith('metadata.generation')),
  },
  {
    name: 'lists that Go compares from either end',
    reason: 'cmp.Diff chooses at the start of the process; which of two equal items is the new one follows from that.',
    matches: (difference) =>
      onlyPlaces(difference, (path) => /^body\.(?:message|details\.causes\.\d+\.message)$/.test(path)) &&
      / {2}\t|\n[+-] /.test(messageOf(difference.reference.body)) &&
      sortedLines(messageOf(difference.reference.body)) === sortedLines(messageOf(difference.server.body)),
  },
  {
    name: 'one of several bindings that allow a request',
    reason: 'The reference names the first that it finds in a map, whose order is chance.',
    matches: ({ places }) =>
      places.every(
        ({ path, reference, server }) =>
          path[0] === 'events' &&
          path.at(-1) === 'authorization.k8s.io/reason' &&
          [reference, server].every((reason) => String(reason).startsWith('RBAC: allowed by ')),
      ),
  },
  {
    name: 'rules of a review in the order of a map',
    reason:
      'The reference lists the bindings from the maps of its informers. Other encodings than YAML are sorted before.',
    matches: ({ reference, server, places }) =>
      places.every(({ path }) => path.join('.').startsWith('body.status.')) &&
      sortedRulesOf(reference.body) !== '' &&
      sortedRulesOf(reference.body) === sortedRulesOf(server.body),
  },
  {
    name: 'watches begin earlier',
    reason:
      'The reference begins a watch no earlier than its cache; here the store is asked for what is older, as long as it has it.',
    matches: ({ reference, server, places }) =>
      isTooOld(reference.body) &&
      !isTooOld(server.body) &&
      places.every(({ path }) => path[0] === 'body' || (path[0] === 'layout' && server.body === '')),
  },
  {
    name: 'descriptions in own words',
    reason: 'Texts for people (OpenAPI, columns of tables) are this project’s own.',
    matches: ({ places }) => places.every(isDescription),
  },
  {
    name: 'an empty continue on the last page',
    reason: 'metadata.continue is "" on the last page of a paged list; the reference leaves it out.',
    matches: ({ places }) =>
      places.every(
        ({ path, reference, server }) =>
          path.join('.') === 'body.metadata.continue' && reference === undefined && server === '',
      ),
  },
  {
    name: 'a list of custom objects that is not paged has no continue',
    reason: 'As lists of built-in kinds; the reference has an empty one in every list of custom objects.',
    matches: ({ places }) =>
      places.every(
        ({ path, reference, server }) =>
          path.join('.') === 'body.metadata.continue' && reference === '' && server === undefined,
      ),
  },
]

/** Descriptions may come with any other difference, which must then be explained without them. */
export function explained(difference: Difference): KnownDifference | undefined {
  const parsed = withParsedYaml(difference)
  const places = parsed.places.filter((place) => !isDescription(place))
  const rest = places.length === 0 ? parsed : { ...parsed, places }
  return knownDifferences.find(({ matches }) => matches(rest))
}
