/** Puts the authorizers together that the options or the configuration file ask for, in their order. */

import type { ReleaseGates } from '../api/release-facts.ts'
import { AbacAuthorizer } from '../auth/authorization/abac.ts'
import { alwaysAllow, alwaysDeny } from '../auth/authorization/always.ts'
import { AuthorizerChain, privilegedGroup } from '../auth/authorization/chain.ts'
import { type WebhookAuthorizerDescription, webhookAuthorizerOf } from '../auth/authorization/webhook-authorizer-of.ts'
import type { Authorizer } from '../auth/authorizer.ts'
import { MatchConditionCompiler } from '../auth/expressions/match-conditions.ts'
import { NodeAuthorizer } from '../auth/node/node-authorizer.ts'
import { NodeGraph } from '../auth/node/node-graph.ts'
import { nodeRoleRules } from '../auth/rbac/bootstrap-policy.ts'
import { RbacAuthorizer } from '../auth/rbac/rbac-authorizer.ts'
import { RbacIndex } from '../auth/rbac/rbac-index.ts'
import { ReplaceableAuthorizer } from '../auth/replaceable.ts'
import { readReview } from '../codec/review-answers.ts'
import type { AuthorizationOptions } from '../config/authorization-options.ts'
import { asConfigError, ConfigError } from '../config/config-error.ts'
import { readAuthorizationConfiguration } from '../config/files/authorization-configuration.ts'
import { WatchedFile } from '../config/files/watched-file.ts'
import type { Clock } from '../lib/clock.ts'
import { readGivenFile } from '../lib/given-file.ts'
import type { Logger } from '../lib/logger.ts'
import type { MetricSet } from '../lib/metrics.ts'
import type { Dial } from '../outbound/dial.ts'
import type { Registries } from '../registry/registries.ts'
import { authorizationWebhookObserver, countedAuthorizer } from '../telemetry/metrics/authorization-metrics.ts'
import { reloadReporter } from '../telemetry/reload-metrics.ts'

export interface AuthorizerDependencies {
  readonly registries: Registries
  readonly gate: (name: string) => boolean
  /** Of a release after the default one. */
  readonly later?: ReleaseGates | undefined
  /** The minor number of the release that is served. */
  readonly release: number
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: MetricSet
  /** The way to webhooks. */
  readonly dial: Dial | undefined
  /** Asked before those that the options name. */
  readonly first?: readonly Authorizer[] | undefined
}

export interface OpenAuthorizer {
  readonly authorizer: Authorizer
  /** Present when roles decide: rules about roles need to know them. */
  readonly rbac: RbacAuthorizer | undefined
  close(): void
}

const rbacGroup = 'rbac.authorization.k8s.io'
const reloadMs = 60_000

interface Wanted {
  readonly type: string
  /** As the metrics call it. */
  readonly name: string
  readonly webhook?: WebhookAuthorizerDescription
}

export async function makeAuthorizer(
  options: AuthorizationOptions,
  dependencies: AuthorizerDependencies,
): Promise<OpenAuthorizer> {
  const maker = new AuthorizerMaker(options, dependencies)
  if (options.configFile === undefined) {
    const authorizer = await maker.chain(
      options.modes.map((type) => ({ type, name: nameOfMode(type), ...flagWebhook(type, options) })),
    )
    return { authorizer, rbac: maker.rbac, close: () => {} }
  }
  const file = options.configFile
  const conditions = new MatchConditionCompiler(dependencies.release)
  const read = (text: string): Wanted[] => {
    const config = readAuthorizationConfiguration(text, file, {
      checkCondition: (text) => conditions.check(text),
      release: dependencies.release,
    })
    return config.authorizers.map(({ type, name, webhook }) => ({
      type,
      name,
      ...(webhook === undefined ? {} : { webhook }),
    }))
  }
  const text = asConfigError(() => readGivenFile(file))
  const authorizer = new ReplaceableAuthorizer(await maker.chain(asConfigError(() => read(text))))
  const watched = new WatchedFile({
    file,
    text,
    intervalMs: reloadMs,
    clock: dependencies.clock,
    take: async (next) => authorizer.replace(await maker.chain(read(next))),
    onReload: reloadReporter(dependencies, { file, text, sort: 'authorization' }),
  })
  return { authorizer, rbac: maker.rbac, close: () => watched.close() }
}

const nameOfMode = (mode: string): string => (mode === 'Webhook' ? 'default' : mode.toLowerCase())

const milli = 1_000_000n

function flagWebhook(type: string, options: AuthorizationOptions): Pick<Wanted, 'webhook'> {
  if (type !== 'Webhook') return {}
  return {
    webhook: {
      authorizedTTL: BigInt(options.webhookAuthorizedTtl) * milli,
      unauthorizedTTL: BigInt(options.webhookUnauthorizedTtl) * milli,
      timeout: 30_000n * milli,
      subjectAccessReviewVersion: options.webhookVersion,
      failurePolicy: 'NoOpinion',
      connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: options.webhookConfigFile },
      matchConditions: [],
    },
  }
}

export async function rbacAuthorizer(registries: Registries): Promise<RbacAuthorizer> {
  const [roles, roleBindings, clusterRoles, clusterRoleBindings] = await Promise.all([
    registries.source(rbacGroup, 'roles'),
    registries.source(rbacGroup, 'rolebindings'),
    registries.source(rbacGroup, 'clusterroles'),
    registries.source(rbacGroup, 'clusterrolebindings'),
  ])
  return new RbacAuthorizer(new RbacIndex({ roles, roleBindings, clusterRoles, clusterRoleBindings }))
}

/** Makes each kind of authorizer at most once: indexes are shared over reloads. */
class AuthorizerMaker {
  readonly #options: AuthorizationOptions
  readonly #dependencies: AuthorizerDependencies
  #rbac: RbacAuthorizer | undefined
  #node: NodeAuthorizer | undefined

  constructor(options: AuthorizationOptions, dependencies: AuthorizerDependencies) {
    this.#options = options
    this.#dependencies = dependencies
  }

  get rbac(): RbacAuthorizer | undefined {
    return this.#rbac
  }

  async chain(wanted: readonly Wanted[]): Promise<Authorizer> {
    const authorizers: Authorizer[] = [privilegedGroup, ...(this.#dependencies.first ?? [])]
    for (const each of wanted)
      authorizers.push(countedAuthorizer(await this.#make(each), each, this.#dependencies.metrics))
    return new AuthorizerChain(authorizers)
  }

  #webhook(webhook: WebhookAuthorizerDescription, name: string): Authorizer {
    const { clock, dial, metrics, gate } = this.#dependencies
    const services = {
      clock,
      read: readReview,
      dial,
      observer: authorizationWebhookObserver(metrics, name),
      omitsZeroTime: gate('release:omitsZeroTime'),
    }
    return asConfigError(() =>
      webhookAuthorizerOf(webhook, new MatchConditionCompiler(this.#dependencies.release), services),
    )
  }

  async #make({ type, name, webhook }: Wanted): Promise<Authorizer> {
    switch (type) {
      case 'AlwaysAllow':
        return alwaysAllow
      case 'AlwaysDeny':
        return alwaysDeny
      case 'RBAC':
        this.#rbac ??= await rbacAuthorizer(this.#dependencies.registries)
        return this.#rbac
      case 'Node':
        this.#node ??= await this.#nodeAuthorizer()
        return this.#node
      case 'ABAC': {
        const file = this.#options.policyFile ?? ''
        return asConfigError(() => new AbacAuthorizer(readGivenFile(file), file))
      }
      case 'Webhook':
        if (webhook === undefined) throw new ConfigError('a webhook authorizer needs a configuration')
        return this.#webhook(webhook, name)
      default:
        throw new ConfigError(`unknown authorization mode ${type}`)
    }
  }

  async #nodeAuthorizer(): Promise<NodeAuthorizer> {
    const { registries, gate, later } = this.#dependencies
    const [pods, persistentVolumes, volumeAttachments] = await Promise.all([
      registries.source('', 'pods'),
      registries.source('', 'persistentvolumes'),
      registries.source('storage.k8s.io', 'volumeattachments'),
    ])
    // Without the gate nodes are related to none, though the API may be served.
    const slices = gate('DynamicResourceAllocation') && registries.get('resource.k8s.io', 'resourceslices')
    const resourceSlices = slices && (await registries.source('resource.k8s.io', 'resourceslices'))
    const withPodCertificates = gate('PodCertificateRequest')
    const requests = withPodCertificates && registries.get('certificates.k8s.io', 'podcertificaterequests')
    const podCertificateRequests =
      requests && (await registries.source('certificates.k8s.io', 'podcertificaterequests'))
    const graph = new NodeGraph({
      pods,
      persistentVolumes,
      volumeAttachments,
      ...(resourceSlices ? { resourceSlices } : {}),
      ...(podCertificateRequests ? { podCertificateRequests } : {}),
    })
    return new NodeAuthorizer({
      graph,
      rules: nodeRoleRules(gate, later),
      withSelectors: gate('AuthorizeNodeWithSelectors'),
      withAccounts: gate('KubeletServiceAccountTokenForCredentialProviders'),
      withPodCertificates,
    })
  }
}
