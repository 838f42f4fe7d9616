// Definitions of custom resources: versions, conversion, schema, rules.
import { preferredKind } from '../../api/discovery.ts'
import { useObjects } from '../../api/live.ts'
import type { ApiObject, Json } from '../../api/objects.ts'
import type { Schema } from '../../api/openapi.ts'
import { address, href, listHref, objectHref, setQuery } from '../../lib/router.ts'
import { pathText } from '../../lib/schema-paths.ts'
import { FreshnessBadge } from '../../ui/freshness.tsx'
import { Badge, Empty, Facts, Notice, Panel, Select } from '../../ui/parts.tsx'
import { SchemaTree } from './schema-tree.tsx'

export function CustomResources() {
  const { objects, state } = useObjects('/apis/apiextensions.k8s.io/v1/customresourcedefinitions')
  const [, , name] = address.value.path
  const definitions = [...objects].sort((a, b) => a.metadata.name.localeCompare(b.metadata.name))
  const current = name === undefined ? definitions[0] : definitions.find(({ metadata }) => metadata.name === name)
  if (state.phase === 'refused') return <Notice tone="bad">{state.why}</Notice>
  if (definitions.length === 0 && name === undefined)
    return <Empty>{state.phase === 'live' ? 'No custom resource is defined.' : 'Loading …'}</Empty>
  return (
    <div class="definitions">
      <nav class="definition-list" aria-label="Custom resources">
        <FreshnessBadge state={state} />
        {definitions.map(({ metadata, spec }) => (
          <a
            key={metadata.uid}
            href={href(['definitions', 'resources', metadata.name])}
            aria-current={metadata.name === current?.metadata.name ? 'page' : undefined}
          >
            {spec.names.kind}
            <span class="quiet">{spec.group}</span>
          </a>
        ))}
      </nav>
      {current === undefined ? (
        <Empty>{state.phase === 'live' ? `There is no definition “${name}”.` : 'Loading …'}</Empty>
      ) : (
        <Definition key={current.metadata.uid} definition={current} />
      )}
    </div>
  )
}

interface Version {
  readonly name: string
  readonly served: boolean
  readonly storage: boolean
  readonly deprecated?: boolean
  readonly schema?: { readonly openAPIV3Schema?: Schema }
  readonly subresources?: Readonly<Record<string, unknown>>
  readonly additionalPrinterColumns?: readonly { readonly name: string; readonly jsonPath: string }[]
}

function Definition({ definition }: { readonly definition: ApiObject }) {
  const { spec, status } = definition
  const versions: readonly Version[] = spec.versions
  const wanted = address.value.query['version']
  const version = versions.find(({ name }) => name === wanted) ?? versions.find(({ storage }) => storage) ?? versions[0]
  const kind = preferredKind(spec.group, spec.names.plural)
  const own = preferredKind('apiextensions.k8s.io', 'customresourcedefinitions')
  return (
    <div class="stack">
      <div class="row">
        <h2>{spec.names.kind}</h2>
        {kind !== undefined && <a href={listHref(kind)}>its objects</a>}
        {own !== undefined && <a href={objectHref(own, { name: definition.metadata.name })}>the definition</a>}
      </div>
      <div class="columns">
        <Panel title="Names and scope">
          <Facts items={facts(definition)} />
        </Panel>
        <Panel title="Versions" flush>
          <Versions versions={versions} stored={status?.storedVersions ?? []} />
        </Panel>
      </div>
      {version !== undefined && (
        <Panel
          title={`Schema of ${version.name}`}
          actions={
            <Select
              label="Version"
              hideLabel
              value={version.name}
              options={versions.map(({ name }) => name)}
              onChange={(value) => setQuery({ version: value })}
            />
          }
        >
          {version.schema?.openAPIV3Schema === undefined ? (
            <Empty>It has no schema.</Empty>
          ) : (
            <SchemaTree
              schema={version.schema.openAPIV3Schema}
              context={{
                resolve: (schema) => schema,
                tryHref: (path, rule) =>
                  `${href(['definitions', 'playground'], {
                    for: 'rule',
                    definition: definition.metadata.name,
                    version: version.name,
                    path: pathText(path),
                  })}#${new URLSearchParams({ expression: rule })}`,
              }}
            />
          )}
        </Panel>
      )}
    </div>
  )
}

function facts({ spec, status }: ApiObject): (readonly [string, Json])[] {
  const { conversion = {} } = spec
  const client = conversion.webhook?.clientConfig
  const address =
    client?.url ??
    (client?.service ? `service ${client.service.namespace}/${client.service.name}${client.service.path ?? ''}` : '')
  const bad = (status?.conditions ?? []).filter(
    ({ type, status: value }: Json) =>
      (type === 'NonStructuralSchema' || type === 'Terminating') === (value === 'True'),
  )
  const all: (readonly [string, Json])[] = [
    ['Resource', `${spec.names.plural}.${spec.group}`],
    ['Short names', (spec.names.shortNames ?? []).join(', ')],
    ['Scope', spec.scope],
    [
      'Conversion',
      conversion.strategy === 'Webhook' ? `by webhook: ${address}` : 'none: versions differ in name alone',
    ],
    ['Trouble', bad.map(({ type, message }: Json) => `${type}: ${message ?? ''}`).join('; ')],
  ]
  return all.filter(([, value]) => value !== '')
}

function Versions({ versions, stored }: { readonly versions: readonly Version[]; readonly stored: readonly string[] }) {
  return (
    <table class="plain-table">
      <thead>
        <tr>
          <th>Version</th>
          <th>Standing</th>
          <th>Subresources</th>
          <th>Columns</th>
        </tr>
      </thead>
      <tbody>
        {versions.map((version) => (
          <tr key={version.name}>
            <td>{version.name}</td>
            <td>
              <span class="row">
                <Badge tone={version.served ? 'ok' : 'plain'}>{version.served ? 'served' : 'not served'}</Badge>
                {version.storage && <Badge tone="info">storage</Badge>}
                {!version.storage && stored.includes(version.name) && <Badge tone="warn">still stored</Badge>}
                {version.deprecated && <Badge tone="warn">deprecated</Badge>}
              </span>
            </td>
            <td>{Object.keys(version.subresources ?? {}).join(', ')}</td>
            <td>{(version.additionalPrinterColumns ?? []).map(({ name }) => name).join(', ')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
