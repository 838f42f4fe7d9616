// What is worth knowing first: where it stands, what was said about it, what happened to it.
import { kindOf } from '../../api/discovery.ts'
import { useObjects } from '../../api/live.ts'
import type { ApiObject, Json } from '../../api/objects.ts'
import { objectHref } from '../../lib/router.ts'
import { ageOf, dateTime } from '../../lib/time.ts'
import { Badge, Facts, Panel } from '../../ui/parts.tsx'
import { Conditions } from './conditions.tsx'
import type { ObjectProps } from './object.tsx'

export function Overview({ kind, object }: ObjectProps) {
  return (
    <div class="stack">
      <div class="columns">
        <Panel title="Object">
          <Facts items={facts(object)} />
        </Panel>
        <div class="stack">
          <Pairs title="Labels" pairs={object.metadata.labels} />
          <Pairs title="Annotations" pairs={object.metadata.annotations} />
        </div>
      </div>
      <Conditions kind={kind} object={object} />
      <Events object={object} />
    </div>
  )
}

function facts(object: ApiObject): (readonly [string, Json])[] {
  const { namespace, uid, creationTimestamp, generation, resourceVersion, ownerReferences, finalizers } =
    object.metadata
  const { phase, observedGeneration, podIP, replicas, readyReplicas } = object.status ?? {}
  const all: (readonly [string, Json])[] = [
    ['Kind', `${object.kind} · ${object.apiVersion}`],
    ['Namespace', namespace],
    [
      'Created',
      creationTimestamp === undefined ? undefined : `${dateTime(creationTimestamp)} (${ageOf(creationTimestamp)} ago)`,
    ],
    ['Phase', typeof phase === 'string' ? phase : undefined],
    ['Replicas', typeof replicas === 'number' ? `${readyReplicas ?? 0} of ${replicas} ready` : undefined],
    ['Node', object.spec?.nodeName],
    ['Address', podIP ?? object.spec?.clusterIP],
    ['Images', imagesOf(object)],
    ['Owners', ownerReferences?.map((owner) => <OwnerLink key={owner.uid} owner={owner} namespace={namespace} />)],
    ['Finalizers', finalizers?.join(', ')],
    ['Generation', generation === undefined ? undefined : generationText(generation, observedGeneration)],
    ['Version', <code key="version">{resourceVersion}</code>],
    ['UID', <code key="uid">{uid}</code>],
  ]
  return all.filter(([, value]) => value !== undefined && value !== '')
}

const generationText = (generation: number, observed: unknown): string =>
  typeof observed === 'number' && observed !== generation
    ? `${generation}, its controller has seen ${observed}`
    : String(generation)

function imagesOf(object: ApiObject): string | undefined {
  const containers: unknown = object.spec?.containers ?? object.spec?.template?.spec?.containers
  if (!Array.isArray(containers)) return undefined
  return [...new Set(containers.map((each: Json) => String(each?.image ?? '')))].filter(Boolean).join(', ')
}

type Owner = NonNullable<ApiObject['metadata']['ownerReferences']>[number]

function OwnerLink({ owner, namespace }: { readonly owner: Owner; readonly namespace: string | undefined }) {
  const kind = kindOf(owner.apiVersion, owner.kind)
  const text = `${owner.kind} ${owner.name}`
  if (kind === undefined) return <span>{text}</span>
  return (
    <a href={objectHref(kind, { name: owner.name, namespace: kind.namespaced ? namespace : undefined })}>
      {text}
      {owner.controller ? '' : ' (not its controller)'}
    </a>
  )
}

function Pairs({
  title,
  pairs,
}: {
  readonly title: string
  readonly pairs: Readonly<Record<string, string>> | undefined
}) {
  const entries = Object.entries(pairs ?? {})
  if (entries.length === 0) return null
  return (
    <Panel title={title}>
      <div class="row">
        {entries.map(([key, value]) => (
          <span key={key} class="chip" title={value}>
            {key}={value.length > 160 ? `${value.slice(0, 160)}…` : value}
          </span>
        ))}
      </div>
    </Panel>
  )
}

function Events({ object }: { readonly object: ApiObject }) {
  const { uid, namespace } = object.metadata
  const { objects, state } = useObjects(
    `/api/v1${namespace ? `/namespaces/${encodeURIComponent(namespace)}` : ''}/events`,
    {
      query: { fieldSelector: `involvedObject.uid=${uid}` },
    },
  )
  const timeOf = (event: ApiObject): string =>
    event['lastTimestamp'] ?? event['eventTime'] ?? event.metadata.creationTimestamp
  const sorted = [...objects].sort((a, b) => timeOf(b).localeCompare(timeOf(a))).slice(0, 200)
  return (
    <Panel title="Events" flush>
      {state.phase === 'refused' && <div class="body quiet">{state.why}</div>}
      {state.phase !== 'refused' && sorted.length === 0 && <div class="body quiet">Nothing was reported about it.</div>}
      {sorted.length > 0 && (
        <div class="scroll-x">
          <table class="plain-table">
            <thead>
              <tr>
                <th>Last</th>
                <th>Type</th>
                <th>Reason</th>
                <th>Message</th>
                <th>From</th>
                <th class="number">Count</th>
              </tr>
            </thead>
            <tbody>
              {sorted.map((event) => (
                <tr key={event.metadata.uid}>
                  <td title={timeOf(event)}>{ageOf(timeOf(event))}</td>
                  <td>
                    <Badge tone={event['type'] === 'Warning' ? 'warn' : 'plain'}>{String(event['type'] ?? '')}</Badge>
                  </td>
                  <td>{String(event['reason'] ?? '')}</td>
                  <td>{String(event['message'] ?? event['note'] ?? '')}</td>
                  <td>{String(event['source']?.component || event['reportingComponent'] || '')}</td>
                  <td class="number">{event['count'] ?? event['series']?.count ?? 1}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  )
}
