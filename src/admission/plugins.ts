/** Makes the plugins that are on, in the order in which they run. */
import type { JsonObject, JsonValue } from '../api/json.ts'
import type { Clock } from '../lib/clock.ts'
import type { Cluster } from './cluster.ts'
import type { StaticSets } from './manifests/static-configurations.ts'
import type { EquivalentForms } from './matching/rules.ts'
import type { AdmissionObserver } from './observer.ts'
import type { AdmissionPlugin } from './plugin.ts'
import { alwaysAdmit, alwaysDenyPlugin } from './plugins/always.ts'
import {
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
  clusterTrustBundleAttest,
} from './plugins/certificates.ts'
import { eventRateLimit } from './plugins/event-rate-limit.ts'
import { type ImagePolicySettings, imagePolicySettings, imagePolicyWebhook } from './plugins/image-policy-webhook.ts'
import { limitRanger } from './plugins/limit-ranger.ts'
import { namespaceAutoProvision, namespaceExists, namespaceLifecycle } from './plugins/namespaces.ts'
import { defaultIngressClass, denyServiceExternalIps } from './plugins/network.ts'
import { nodeDeclaredFeatures } from './plugins/node-declared-features.ts'
import { nodeRestriction } from './plugins/node-restriction.ts'
import { podTopologyLabels, taintNodesByCondition } from './plugins/nodes.ts'
import { ownerReferencesPermissionEnforcement, type ResourcesOfKind } from './plugins/owner-references.ts'
import { jobValidation, podGroupProtection, podGroupWorkloadExists } from './plugins/pod-groups.ts'
import { podNodeSelector } from './plugins/pod-node-selector.ts'
import { podResizeValidator } from './plugins/pod-resize.ts'
import {
  alwaysPullImages,
  defaultTolerationSeconds,
  extendedResourceToleration,
  limitPodHardAntiAffinityTopology,
  type TolerationSeconds,
} from './plugins/pod-rules.ts'
import { podTolerationRestriction } from './plugins/pod-toleration-restriction.ts'
import { priority } from './plugins/priority.ts'
import { runtimeClass } from './plugins/runtime-class.ts'
import { serviceAccount } from './plugins/service-account.ts'
import { defaultStorageClass, persistentVolumeClaimResize, storageObjectInUseProtection } from './plugins/storage.ts'
import { podSecurity } from './pod-security/pod-security.ts'
import { type MutatingPolicyDependencies, mutatingPolicies } from './policy/mutating-policies.ts'
import type { FindParamKind } from './policy/params.ts'
import { validatingPolicies } from './policy/validating-policies.ts'
import type { QuotaEnforcer } from './quota/quota-enforcer.ts'
import { resourceQuota } from './quota/resource-quota.ts'
import { type MutatingDependencies, mutatingWebhooks } from './webhook/mutating-webhooks.ts'
import { validatingWebhooks } from './webhook/validating-webhooks.ts'
import { WebhookIndex } from './webhook/webhook.ts'

export interface PluginDependencies {
  /** Sends reviews of images to the backend that the settings name. */
  readonly imageReviewer: (settings: ImagePolicySettings) => (review: JsonObject) => Promise<JsonObject>
  readonly merge: MutatingPolicyDependencies['merge']
  readonly conversionProblem: MutatingPolicyDependencies['conversionProblem']
  readonly findParamKind: FindParamKind
  readonly webhooks: MutatingDependencies
  readonly observer?: AdmissionObserver
  /** What plugins have from files, where any are read. */
  readonly statics?: StaticSets | undefined
  readonly forms: EquivalentForms
  readonly quotaEnforcer: QuotaEnforcer
  readonly cluster: Cluster
  readonly clock: Clock
  readonly tolerationSeconds: TolerationSeconds
  readonly createNamespace: (name: string) => Promise<void>
  readonly resourcesOfKind: ResourcesOfKind
  /** The random end of a generated name. */
  readonly nameSuffix: () => string
  /** The configuration of a plugin from the AdmissionConfiguration. */
  readonly configuration: (plugin: string) => JsonValue | undefined
}

type Make = (dependencies: PluginDependencies) => AdmissionPlugin

const makers: ReadonlyMap<string, Make> = new Map<string, Make>([
  ['AlwaysAdmit', () => alwaysAdmit],
  ['NamespaceAutoProvision', ({ cluster, createNamespace }) => namespaceAutoProvision(cluster, createNamespace)],
  ['NamespaceLifecycle', ({ cluster, clock }) => namespaceLifecycle(cluster, clock)],
  ['NamespaceExists', ({ cluster }) => namespaceExists(cluster)],
  ['LimitPodHardAntiAffinityTopology', () => limitPodHardAntiAffinityTopology],
  ['LimitRanger', ({ cluster }) => limitRanger(cluster)],
  ['ServiceAccount', ({ cluster, nameSuffix, clock }) => serviceAccount(cluster, { suffix: nameSuffix, clock })],
  ['NodeRestriction', ({ cluster }) => nodeRestriction(cluster)],
  ['TaintNodesByCondition', () => taintNodesByCondition],
  ['AlwaysPullImages', () => alwaysPullImages],
  [
    'ImagePolicyWebhook',
    ({ configuration, imageReviewer, clock }) => {
      const settings = imagePolicySettings(configuration('ImagePolicyWebhook'))
      return imagePolicyWebhook(settings, imageReviewer(settings), clock)
    },
  ],
  [
    'PodSecurity',
    ({ cluster, configuration, clock, observer }) =>
      podSecurity(cluster, configuration('PodSecurity'), { clock, observer }),
  ],
  ['PodNodeSelector', ({ cluster, configuration }) => podNodeSelector(cluster, configuration('PodNodeSelector'))],
  ['Priority', ({ cluster }) => priority(cluster)],
  ['DefaultTolerationSeconds', ({ tolerationSeconds }) => defaultTolerationSeconds(tolerationSeconds)],
  [
    'PodTolerationRestriction',
    ({ cluster, configuration, webhooks }) =>
      podTolerationRestriction(cluster, configuration('PodTolerationRestriction'), webhooks.parse),
  ],
  ['EventRateLimit', ({ configuration, clock }) => eventRateLimit(configuration('EventRateLimit'), clock)],
  ['ExtendedResourceToleration', () => extendedResourceToleration],
  ['DefaultStorageClass', ({ cluster }) => defaultStorageClass(cluster)],
  ['StorageObjectInUseProtection', ({ cluster }) => storageObjectInUseProtection(cluster)],
  ['PodGroupProtection', ({ cluster }) => podGroupProtection(cluster)],
  [
    'OwnerReferencesPermissionEnforcement',
    ({ cluster, resourcesOfKind }) => ownerReferencesPermissionEnforcement(cluster, resourcesOfKind),
  ],
  ['PersistentVolumeClaimResize', ({ cluster }) => persistentVolumeClaimResize(cluster)],
  ['RuntimeClass', ({ cluster }) => runtimeClass(cluster)],
  ['CertificateApproval', ({ cluster }) => certificateApproval(cluster)],
  ['CertificateSigning', ({ cluster }) => certificateSigning(cluster)],
  ['ClusterTrustBundleAttest', ({ cluster }) => clusterTrustBundleAttest(cluster)],
  ['CertificateSubjectRestriction', () => certificateSubjectRestriction],
  ['DefaultIngressClass', ({ cluster }) => defaultIngressClass(cluster)],
  ['DenyServiceExternalIPs', () => denyServiceExternalIps],
  ['PodTopologyLabels', ({ cluster }) => podTopologyLabels(cluster)],
  ['PodGroupWorkloadExists', ({ cluster }) => podGroupWorkloadExists(cluster)],
  ['NodeDeclaredFeatureValidator', ({ cluster }) => nodeDeclaredFeatures(cluster)],
  ['JobValidation', ({ cluster }) => jobValidation(cluster)],
  ['PodResizeValidator', ({ cluster }) => podResizeValidator(cluster)],
  [
    'MutatingAdmissionPolicy',
    (dependencies) =>
      mutatingPolicies({
        ...dependencies,
        statics: dependencies.statics?.policies.MutatingAdmissionPolicy,
        decode: dependencies.webhooks.decode,
        restoreVersion: dependencies.webhooks.restoreVersion,
        equal: dependencies.webhooks.equal,
      }),
  ],
  [
    'MutatingAdmissionWebhook',
    ({ cluster, webhooks, forms, statics }) =>
      mutatingWebhooks(
        webhooks,
        new WebhookIndex({
          cluster,
          resource: 'mutatingwebhookconfigurations',
          forms,
          statics: statics?.webhooks.MutatingAdmissionWebhook,
        }),
      ),
  ],
  [
    'ValidatingAdmissionPolicy',
    (dependencies) =>
      validatingPolicies({ ...dependencies, statics: dependencies.statics?.policies.ValidatingAdmissionPolicy }),
  ],
  [
    'ValidatingAdmissionWebhook',
    ({ cluster, webhooks, forms, statics }) =>
      validatingWebhooks(
        webhooks,
        new WebhookIndex({
          cluster,
          resource: 'validatingwebhookconfigurations',
          forms,
          statics: statics?.webhooks.ValidatingAdmissionWebhook,
        }),
      ),
  ],
  ['ResourceQuota', ({ cluster, quotaEnforcer }) => resourceQuota(cluster, quotaEnforcer)],
  ['AlwaysDeny', () => alwaysDenyPlugin],
])

/** `names` in the order in which they run. */
export function makePlugins(names: readonly string[], dependencies: PluginDependencies): AdmissionPlugin[] {
  return names.map((name) => {
    const make = makers.get(name)
    // A guard that is listed and silently off is worse than a server that does not start.
    if (make === undefined) throw new Error(`there is no admission plugin ${JSON.stringify(name)}`)
    try {
      return make(dependencies)
    } catch (error) {
      throw new PluginError(name, error as Error)
    }
  })
}

/** The plugins that can be made: exactly those that the flags know. */
export const implementedPlugins: ReadonlySet<string> = new Set(makers.keys())

/** A plugin cannot use its configuration. */
class PluginError extends Error {
  constructor(name: string, { message }: Error) {
    super(`failed to initialize admission plugin ${JSON.stringify(name)}: ${message}`)
    this.name = 'PluginError'
  }
}
