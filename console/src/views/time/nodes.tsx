// Simulated nodes: let one fall silent, come back, be short of something, take no more pods.
import { type Kind, preferredKind } from '../../api/discovery.ts'
import { useObjects } from '../../api/live.ts'
import type { ApiObject, Json } from '../../api/objects.ts'
import { mergePatch } from '../../api/write.ts'
import { objectHref } from '../../lib/router.ts'
import { FreshnessBadge } from '../../ui/freshness.tsx'
import { Badge, Button, Empty, Panel, Select } from '../../ui/parts.tsx'
import { post, type Run } from './testing.ts'

const maxShown = 100

export function Nodes({ run }: { readonly run: Run }) {
  const { objects, state } = useObjects('/api/v1/nodes')
  const kind = preferredKind('', 'nodes')
  const nodes = [...objects].sort((a, b) => a.metadata.name.localeCompare(b.metadata.name))
  return (
    <Panel title="Simulated nodes" actions={<FreshnessBadge state={state} />} flush>
      <p class="body quiet">
        A node that fails falls silent: its lease runs out in the server’s time, then it is marked and its pods are
        evicted. Let time pass to see it.
      </p>
      {nodes.length === 0 && <Empty>There are none.</Empty>}
      {nodes.length > 0 && (
        <div class="scroll-x">
          <table class="plain-table">
            <tbody>
              {kind !== undefined &&
                nodes
                  .slice(0, maxShown)
                  .map((node) => <NodeLine key={node.metadata.uid} node={node} kind={kind} run={run} />)}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  )
}

const pressures: readonly (readonly [string, string])[] = [
  ['', 'Pressure …'],
  ['memory', 'short of memory'],
  ['disk', 'short of disk'],
  ['pid', 'short of process ids'],
]

interface LineProps {
  readonly node: ApiObject
  readonly kind: Kind
  readonly run: Run
}

function NodeLine({ node, kind, run }: LineProps) {
  const { name } = node.metadata
  const conditions: readonly Json[] = node.status?.conditions ?? []
  const ready = conditions.find(({ type }) => type === 'Ready')?.status
  const short = conditions.filter(({ type, status }) => /Pressure$/.test(type) && status === 'True')
  const isCordoned = node.spec?.unschedulable === true
  const act = (done: string, path: string, body: object = {}) =>
    run(`${name} ${done}`, () => post(path, { name, ...body }))
  const cordon = () =>
    run(`${name} is ${isCordoned ? 'schedulable again' : 'cordoned'}`, () =>
      mergePatch(kind, node, { spec: { unschedulable: isCordoned ? null : true } }),
    )
  return (
    <tr>
      <td>
        <a href={objectHref(kind, { name })}>{name}</a>
      </td>
      <td>
        <span class="row">
          <Badge tone={ready === 'True' ? 'ok' : 'bad'}>
            {ready === 'True' ? 'ready' : ready === undefined ? 'unknown' : 'not ready'}
          </Badge>
          {isCordoned && <Badge tone="warn">cordoned</Badge>}
          {short.map(({ type }) => (
            <Badge key={type} tone="bad">
              {String(type)}
            </Badge>
          ))}
        </span>
      </td>
      <td>
        <span class="row">
          <Button label={`Fail ${name}`} onClick={() => act('falls silent', '/nodes/fail')}>
            Fail
          </Button>
          <Button label={`Return ${name}`} onClick={() => act('works again', '/nodes/return')}>
            Return
          </Button>
          <Select
            label={`Pressure on ${name}`}
            hideLabel
            value=""
            options={pressures}
            onChange={(resource) => resource !== '' && act(`is short of ${resource}`, '/nodes/pressure', { resource })}
          />
          <Button
            label={`Relieve ${name}`}
            disabled={short.length === 0}
            onClick={() => act('is short of nothing', '/nodes/relieve')}
          >
            Relieve
          </Button>
          <Button label={`${isCordoned ? 'Uncordon' : 'Cordon'} ${name}`} onClick={cordon}>
            {isCordoned ? 'Uncordon' : 'Cordon'}
          </Button>
        </span>
      </td>
    </tr>
  )
}
