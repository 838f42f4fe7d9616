/**
 * A small operator: for every Website there is a Deployment that runs its image. It keeps one list of websites by a watch,
 * makes what they ask for by server-side apply, and tries again later whatever fails.
 */
import {
  CustomObjectsApi,
  type Informer,
  type KubeConfig,
  type KubernetesObject,
  KubernetesObjectApi,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
} from '@kubernetes/client-node'

export interface Website extends KubernetesObject {
  spec: { image: string; replicas: number }
  status?: { observedGeneration?: number; deployment?: string }
}

const group = 'example.com'
const version = 'v1'
const plural = 'websites'
const manager = 'website-operator'
const retryMs = 50

export class WebsiteOperator {
  readonly #objects: KubernetesObjectApi
  readonly #custom: CustomObjectsApi
  readonly #websites: Informer<Website>
  readonly #timers = new Set<NodeJS.Timeout>()
  #isStopped = false

  constructor(config: KubeConfig) {
    this.#objects = KubernetesObjectApi.makeApiClient(config)
    this.#custom = config.makeApiClient(CustomObjectsApi)
    this.#websites = makeInformer<Website>(config, `/apis/${group}/${version}/${plural}`, () =>
      this.#custom.listCustomObjectForAllNamespaces({ group, version, plural }),
    )
    this.#websites.on('add', (website) => void this.#handle(website))
    this.#websites.on('update', (website) => void this.#handle(website))
    // The watch broke: list and watch anew.
    this.#websites.on('error', () => this.#later(() => this.#websites.start()))
  }

  start(): Promise<void> {
    return this.#websites.start()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    for (const timer of this.#timers) clearTimeout(timer)
    await this.#websites.stop()
  }

  async #handle(website: Website): Promise<void> {
    try {
      await this.#reconcile(website)
    } catch {
      this.#later(() => this.#handle(website))
    }
  }

  async #reconcile(website: Website): Promise<void> {
    const { name = '', namespace = '', uid = '', generation } = website.metadata ?? {}
    if (website.status?.observedGeneration === generation) return
    const labels = { website: name }
    const deployment: KubernetesObject & { spec: object } = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: {
        name,
        namespace,
        // Whoever deletes the website deletes the deployment with it.
        ownerReferences: [{ apiVersion: `${group}/${version}`, kind: 'Website', name, uid, controller: true }],
      },
      spec: {
        replicas: website.spec.replicas,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'site', image: website.spec.image }] } },
      },
    }
    await this.#objects.patch(deployment, undefined, undefined, manager, true, PatchStrategy.ServerSideApply)
    const status = { status: { observedGeneration: generation, deployment: name } }
    await this.#custom.patchNamespacedCustomObjectStatus(
      { group, version, plural, namespace, name, body: status, fieldManager: manager },
      setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
    )
  }

  #later(run: () => Promise<void>): void {
    if (this.#isStopped) return
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      run().catch(() => this.#later(run))
    }, retryMs)
    this.#timers.add(timer)
  }
}
