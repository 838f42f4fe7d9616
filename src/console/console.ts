/** Everything under `/console`: the page and the API beside it. Made when it is first asked for. */
import type { RequestContext } from '../api/request-context.ts'
import { notFound } from '../api/status-error.ts'
import { accessEndpoints } from './access/access-endpoints.ts'
import { Grants } from './access/grants.ts'
import { ownAccess, ownRoles } from './access/own-access.ts'
import { capabilitiesEndpoint, type Feature, readFeatures } from './capabilities.ts'
import { dependentsEndpoint } from './dependents.ts'
import { EndpointTable } from './endpoint-table.ts'
import { type ExpressionServices, expressionsEndpoint } from './expressions.ts'
import { flowsEndpoint } from './flows.ts'
import { historyEndpoint } from './history.ts'
import { inventoryEndpoints } from './inventory.ts'
import { MetricSampler, metricsEndpoint } from './metrics.ts'
import { ListPage } from './page.ts'
import { policiesEndpoints } from './policies/policies-endpoint.ts'
import { PolicyStatistics } from './policies/policy-statistics.ts'
import { RequestRing } from './requests/request-ring.ts'
import { requestsEndpoints } from './requests/requests-endpoint.ts'
import { Writers } from './requests/writers.ts'
import { Rights } from './rights.ts'
import { serverEndpoint } from './server-info.ts'
import type { ConsoleServices } from './services.ts'
import { linkEndpoint, sessionEndpoints } from './session-endpoints.ts'
import { testingEndpoints } from './testing.ts'
import { watchesEndpoint } from './watches.ts'

export interface Console {
  handle(context: RequestContext): void | Promise<void>
  close(): void
}

export function makeConsole(services: ConsoleServices): Console {
  const page = new ListPage()
  const { clock, registries, setTap } = services
  const ring = new RequestRing({ clock, setTap })
  const grants = new Grants(ownRoles(registries))
  const writers = new Writers(() => ring.look())
  const statistics = new PolicyStatistics(() => ring.look())
  ring.onEnded((record) => {
    writers.note(record)
    statistics.note(record)
  })
  const sampler = new MetricSampler(services)
  const endpoints = new EndpointTable([
    ...sessionEndpoints(services),
    linkEndpoint(services),
    capabilitiesEndpoint(services, featuresOf(services)),
    ...inventoryEndpoints(services),
    ...requestsEndpoints(services, ring, grants),
    watchesEndpoint(services),
    historyEndpoint(services, writers),
    ...accessEndpoints(ownAccess(services), grants),
    dependentsEndpoint(services),
    ...policiesEndpoints(services, statistics),
    expressionsEndpoint(expressionServices(services)),
    serverEndpoint(services, sampler),
    metricsEndpoint(services, sampler),
    flowsEndpoint(services),
    ...testingEndpoints(services),
  ])
  return {
    handle(context) {
      const { path } = context.info
      if (path !== '/console/v1' && !path.startsWith('/console/v1/')) return page.answer(context)
      return endpoints.find(context)(context)
    },
    close() {
      ring.stop()
      sampler.stop()
      for (const stream of [...services.streams]) stream.end('closed')
    },
  }
}

function featuresOf({ testing }: ConsoleServices): readonly Feature[] {
  const missing = testing === undefined ? 'this is no test server' : undefined
  return [
    ...readFeatures.map((name): Feature => ({ name, verb: 'get', missing: undefined })),
    { name: 'expressions', verb: 'post', missing: undefined },
    { name: 'links', verb: 'post', missing: undefined },
    { name: 'testing', verb: 'get', missing },
  ]
}

const definitions = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' }

function expressionServices({ registries, authorizer }: ConsoleServices): ExpressionServices {
  return {
    async authorize(attributes) {
      const { verdict, reason, error } = await authorizer.authorize(attributes)
      return { allowed: verdict === 'allow', reason, ...(error === undefined ? {} : { error }) }
    },
    async definition(context, name) {
      await new Rights(authorizer, context).need({ verb: 'get', ...definitions, namespace: '', name })
      const found = (await registries.source(definitions.group, definitions.resource)).get('', name)
      if (found === undefined) throw notFound(definitions, name)
      return found
    },
  }
}
