/**
 * What changed in code from release to release: the one table of it. Whatever a release says in data is in its facts
 * (`release-facts.ts`), and what a feature gate decides is asked of the gate; the rest has a name here, with the minor number of the
 * release that brought it, and is asked for in the same way: `gate('release:anyMemoryResize')`. Releases are never compared elsewhere.
 */
export const releaseChanges = {
  /** New expressions may use what older servers know, too; before, there was one environment. Mirrors apiserver/pkg/cel/environment. */
  environmentOfNewExpressions: 28,
  /** Stored selectors may ask for devices that are shared. Mirrors dynamic-resource-allocation/cel: newCompiler. */
  sharedDeviceSelectors: 34,
  /** Stored selectors may look into attributes that are lists. */
  listAttributeSelectors: 36,
  /** Messages quote values in JSON instead of Go's syntax. Mirrors util/validation/field: Error.ErrorBody. */
  quotesJson: 34,
  /** What differs is shown as a unified diff of JSON. Mirrors k8s.io/apimachinery/pkg/util/diff: Diff. */
  unifiedDiffs: 34,
  /** A MAC address may be without separators. Mirrors net: ParseMAC of Go 1.26. */
  bareMacAddresses: 34,
  /** The host of an http URL has one colon. Mirrors net/url: parseHost of Go 1.26. */
  strictHostColons: 36,
  /** Metrics of objects by group, of versions, and of mutating policies. */
  laterMetrics: 34,
  /** Metadata has no `creationTimestamp: null`. */
  omitsZeroTime: 34,
  /** The end of the initial events of a watch carries no empty list. */
  noListBlueprint: 34,
  /** A PUT to an object that is not there is a 404, whatever its preconditions. Mirrors registry/generic/registry: Store.Update. */
  missingBeforePreconditions: 34,
  /** Warnings about what headless services ignore. Mirrors pkg/api/service: GetWarningsForService. */
  headlessServiceWarnings: 34,
  /** The pod template and the claims of a stateful set are validated. Mirrors pkg/apis/apps/validation: ValidateStatefulSetSpec. */
  statefulSetTemplates: 34,
  /** A token request has the uid of its account. Mirrors pkg/registry/core/serviceaccount/storage: TokenREST.Create. */
  tokenRequestUid: 34,
  /** That a certificate request is approved and denied is an error of its list of conditions. */
  exclusiveConditionsOfList: 34,
  /** What an autoscaler refers to must name an API group. Mirrors pkg/apis/autoscaling/validation: ValidateAPIVersion. */
  autoscalerApiVersion: 34,
  /** A webhook's patch that cannot be read is a failure to call it. */
  undecodablePatches: 34,
  /** A container's memory limit may be lowered or added in place. Mirrors pkg/apis/core/validation: validateContainerResize. */
  anyMemoryResize: 34,
  /** What a pod asks for as a whole is held against its containers in another way. Mirrors pkg/apis/core/validation: validatePodResources. */
  podLevelRules: 34,
  /** Pods get the labels of zones and regions of another domain. Mirrors plugin/pkg/admission/podtopologylabels: Plugin. */
  kubernetesTopologyLabels: 34,
  /** A mirror pod refers to nothing that is read from the API, whatever the volume. Mirrors pkg/api/pod: HasAPIObjectReference. */
  mirrorPodReferences: 34,
  /** A projected source without items has no paths of its own. Mirrors pkg/api/pod: warningsForOverlappingVirtualPaths. */
  separateSourcePaths: 34,
  /** When devices were allocated is kept, whatever the gates. Mirrors registry/resource/resourceclaim: dropDeviceBindingConditionsFields. */
  keepsAllocationTimes: 35,
  /** Configurations of mutating policies are merged into lists with the same key twice. Mirrors policy/mutating/patch: ApplyStructuredMergeDiff. */
  policiesMeetDuplicates: 35,
  /** Warnings about label values that are too long count bytes. */
  labelsInBytes: 35,
  /** A message about a broken rule of a definition shows the value, unless it is an object or a list. */
  ruleValues: 35,
  /** The estimated cost of a rule minds the `maxLength` of an int-or-string. Mirrors k8s.io/apiserver/pkg/cel/common: SchemaDeclType. */
  boundedIntOrString: 34,
  /** A definition that had too many selectable fields may keep them. Mirrors apiextensions/validation: findTooManySelectableFieldsAllowed. */
  keptSelectableFields: 35,
  /** What an answer may look like is found out before the options of a list are read. Mirrors endpoints/handlers: ListResource. */
  negotiatesListsFirst: 36,
  /** Watches with initial events may be tables. Mirrors endpoints/handlers: ListResource. */
  initialEventTables: 34,
  /** Delete options that cannot be read are a bad request. Mirrors endpoints/handlers: DeleteResource. */
  badDeleteOptions: 35,
  /** Table cells and columns that changed. Mirrors pkg/printers/internalversion: AddHandlers. */
  jobCriteriaColumn: 34,
  noDefaultAttributesClass: 34,
  podCertificateTables: 34,
  failedContainerStatus: 35,
  migrationStatusColumn: 35,
  noSecretsColumn: 35,
  podCertificateAnnotations: 35,
  workloadTables: 35,
  defaultIngressClassColumn: 36,
  nodeArchitectureColumn: 36,
  podGroupTables: 36,
  resourcePoolTables: 36,
  /** The tolerations of a runtime class have their own path. Mirrors pkg/apis/node/validation: validateTolerations. */
  tolerationPath: 35,
  /** What is required and empty is not also of a wrong form. Mirrors pkg/apis/core/validation: ValidateCSIDriverName. */
  requiredAlone: 36,
  requiredDriverAlone: 35,
  /** A request to be somebody without a name is a bad request. Mirrors endpoints/filters/impersonation. */
  badImpersonation: 35,
  /** Changes of a storage class are refused as those of an immutable field. */
  immutableStorageClass: 36,
  /** The status of custom objects leaves the spec to owners in every version. Mirrors k8s.io/apiextensions-apiserver/pkg/apiserver: getStatusResetFields. */
  statusResetsEveryVersion: 35,
  /** The status of custom objects leaves metadata to others. */
  statusResetsMetadata: 36,
  /** A service whose name an old ingress had under looser rules may be kept. Mirrors pkg/apis/networking/validation: allowRelaxedServiceNameValidation. */
  relaxedIngressServices: 34,
  /** A body of a type that no route takes is refused by its type, though it is empty. Mirrors go-restful's RouterJSR311. */
  routeTypesFirst: 34,
  /** Whether an aggregated server can be reached is seen from the slices of its service. */
  serviceSlices: 34,
  /** The spec of a claim that was made is not checked again. Mirrors pkg/registry/resource/resourceclaim: resourceclaimStrategy.ValidateUpdate. */
  claimsCheckedWhenMade: 35,
  /** Names of devices that are no identifiers are invalid, not of a wrong type. Mirrors pkg/apis/resource/validation: validateCIdentifier. */
  untypedIdentifiers: 34,
  /** Claims lose the tolerations and distinct attributes of gates that are off, too. Mirrors pkg/api/resourceclaimspec: DropDisabledFields. */
  dropsInClaimSpecs: 35,
  /** Devices may have taints without an effect. */
  taintsWithoutEffect: 35,
  /** The label of namespaces whose claims may have admin access has another domain. */
  adminAccessLabel: 34,
  /** A definition with a format that is not known gets a warning. */
  formatWarnings: 34,
  /** Paths of type errors name embedded structs, and go on inside of types that read themselves. Mirrors sigs.k8s.io/json. */
  wholeErrorPaths: 35,
  /** Formats of names are known. Mirrors apiextensions-apiserver/pkg/apiserver/validation: GetUnrecognizedFormats. */
  nameFormats: 35,
  nameFormatsOfDefaults: 34,
  /** Formats of numbers are checked, and formats of other types than texts and numbers never are. */
  numberFormats: 36,
  /** Containers have restart rules behind a gate: what it does not allow is dropped. */
  restartRules: 34,
  /** Messages show what an allocated device is known by. Mirrors k8s.io/dynamic-resource-allocation/structured: SharedDeviceID. */
  readableDeviceIds: 35,
  /** Rules of taints have a status, and the time of a taint is that of its effect. Mirrors pkg/registry/resource/devicetaintrule. */
  taintRuleStatus: 35,
  taintTimes: 36,
  /** Counters that a device takes from may be in another slice of its pool. */
  countersElsewhere: 35,
  /** Elements of a list may leave out some of its keys. */
  partialKeys: 34,
  /** Errors that the validation of an update reports twice are counted. Mirrors k8s.io/apiserver/pkg/registry/rest: RecordDuplicateValidationErrors. */
  countsRepeatedErrors: 35,
  /** Disagreements of declared rules, and their failures, are counted by what was validated, too. Mirrors k8s.io/apiserver/pkg/validation. */
  countsDeclaredByIdentifier: 35,
  /** Whether declared rules count is said by the strategy of a kind; a gate takes nothing over. Mirrors registry/rest: ValidateDeclarativelyWithMigrationChecks. */
  declaredByStrategy: 36,
  /** A request for a pod's certificate shows annotations, and the names in a certificate are looked at. Mirrors pkg/apis/certificates/validation. */
  podCertificateNames: 35,
  /** The rules of workloads are declared. */
  declaredWorkloads: 36,
  /** A pod's key may come in a certificate request of its own. Mirrors pkg/apis/certificates/validation: validateStubPKCS10Request. */
  stubCertificateRequests: 36,
  /** That a daemon set keeps its selector is checked first. Mirrors pkg/apis/apps/validation: ValidateDaemonSetUpdate. */
  daemonSelectorFirst: 34,
  /** Resizes of pods that ask for resources as a whole have rules. Mirrors pkg/apis/core/validation: ValidatePodResize. */
  wholeResize: 35,
  initResize: 36,
  /** That containers of the guaranteed class get other processors needs nothing of the node. Mirrors k8s.io/component-helpers/nodedeclaredfeatures. */
  noCpuResizeFeature: 36,
  /** The actions of restart rules that a message lists are all that are allowed, and too many of them are counted. */
  restartRuleMessages: 36,
  /** A job that never started rests, though nobody noted that it is suspended. Mirrors pkg/registry/batch/job: shouldAllowMutablePodTemplate. */
  newJobsRest: 36,
  /** An eviction says why a budget allows none. Mirrors pkg/registry/core/pod/storage: EvictionREST.checkAndDecrement. */
  evictionReasons: 35,
  /** The name of a pod's claim that is bad is refused under its own field. Mirrors pkg/apis/core/validation: validatePodResourceClaimStatuses. */
  claimNamePath: 36,
  /** Of an extended resource several requests may be mapped. Mirrors pkg/apis/core/validation: validatePodExtendedResourceClaimStatus. */
  mappingsByRequest: 35,
  /** Containers that run before the others are not restarted for a resize. Mirrors pkg/apis/core/validation: validateInitContainers. */
  initResizePolicies: 36,
  /** Names of attributes and counters are refused under the map that they are in. Mirrors pkg/apis/resource/validation: validateMap. */
  factNamePaths: 36,
  /** The values of a device's attributes are counted, of lists each. Mirrors pkg/apis/resource/validation: validateDevice. */
  attributeLists: 36,
  /** There is a check of the certificate that the server has for itself. Mirrors apiserver/pkg/server/options: SecureServingOptionsWithLoopback. */
  loopbackCheck: 36,
  /** A service that gets no address is refused, unless there is none left. Mirrors pkg/registry/core/service/storage: allocClusterIPs. */
  refusesUnallocated: 35,
  namesUnallocated: 36,
  /** A request for devices in two ways is refused before either is looked at. Mirrors pkg/apis/resource/validation: validateDeviceRequest. */
  oneWayOfRequest: 35,
  /** A class is kept once a claim has it, not once it was asked for. Mirrors pkg/apis/core/validation: ValidatePersistentVolumeClaimUpdate. */
  keepsPresentClass: 34,
  /** A quota that has more for requests than for limits gets a warning. Mirrors pkg/registry/core/resourcequota: resourcequotaStrategy. */
  quotaWarnings: 35,
  /** Limits of slices: more taints, fewer sets of counters, and devices or counters, not both. Mirrors pkg/apis/resource/validation. */
  sliceLimits: 35,
  /** Names of attributes that are empty, in part or whole, are of a wrong form. Mirrors pkg/apis/resource/validation: validateQualifiedName. */
  emptyAttributeNames: 35,
  /** A schedule that is a time zone alone is refused in the words of its parser. Mirrors pkg/util/parsers. */
  recoversFromSchedules: 35,
  /** A driver of devices whose name is not in small letters gets a warning. Mirrors pkg/registry/resource/resourceslice. */
  driverNameWarnings: 35,
  /** What migrates is a resource of a group, whatever its version. Mirrors pkg/apis/storagemigration/validation. */
  migratesResources: 35,
  /** A migration needs no version yet, and may still be said to run at its end. Mirrors ValidateStorageVersionMigrationStatusUpdate there. */
  looserMigrationStatus: 36,
  /** The time at which a job started is immutable while it runs. Mirrors pkg/apis/batch/validation: ValidateJobStatusUpdate. */
  fixedStartTime: 36,
  /** Rules of an audit policy may be about all groups. Mirrors apiserver/pkg/audit/policy: ruleMatchesResource. */
  auditGroupWildcard: 36,
  /** A resize of a pod fits its node. Mirrors plugin/pkg/admission/podresize: Plugin. */
  resizeFitsNode: 36,
  /** Names of webhooks and policies that are kept for files. Mirrors pkg/apis/admissionregistration/validation: ValidateStaticSuffix. */
  staticNames: 36,
  /** Plugins for webhooks and policies name a folder of files in their configuration, which is read strictly. Mirrors admission/plugin/manifest. */
  manifestFolders: 36,
  /** The target of an object's metric is its average alone where its value is zero. Mirrors pkg/apis/autoscaling/v1: Convert_v1_ObjectMetricSource_To_autoscaling_ObjectMetricSource. */
  noZeroTargets: 36,
  /** DeleteOptions and WatchEvent of an OpenAPI v3 document say to be of its own group version. Mirrors kube-openapi/pkg/builder3. */
  ownSharedKinds: 36,
  /** Pods in user namespaces may run as root under any standard of v1.35 and later. Mirrors k8s.io/pod-security-admission/policy: NewEvaluator. */
  userNamespaceStandards: 35,
  /** AppArmor profiles in fields are not written into annotations, too. Mirrors pkg/registry/core/pod: applyAppArmorVersionSkew. */
  profilesAsFields: 34,
  /** Label keys of spreading may be merged into its selector. Mirrors pkg/api/pod: hasLegacyInvalidTopologySpreadConstrainMatchLabelKeys. */
  mergedSpreadKeys: 34,
  /** A service is warned of a distribution and of external addresses that are deprecated. Mirrors pkg/api/service: GetWarningsForService. */
  preferCloseWarning: 35,
  externalIpsWarning: 36,
  /** Addresses and ranges of odd forms are invalid already. Mirrors util/validation: GetWarningsForIP, GetWarningsForCIDR. */
  oddAddressesInvalid: 36,
  /** Configurations of authentication and tracing are in v1, issuers choose an egress, and verdicts of webhooks need not be cached. Mirrors apiserver/pkg/apis/apiserver/v1. */
  laterConfigurations: 34,
  /** The name in the certificate of an egress proxy may be another than its host. Mirrors apiserver/pkg/server/egressselector: getTLSConfig. */
  egressServerName: 36,
  /** The socket of a token signer may have any path. Mirrors pkg/controlplane/apiserver/options: validateServiceAccountTokenSigningConfig. */
  anySignerPath: 34,
  /** An authority is not of clients and of front proxies alike. Mirrors pkg/kubeapiserver/options: certificatesOverlap. */
  separateProxyAuthorities: 35,
  /** Stores of single resources have health checks, which may be excluded with those of the first. Mirrors apiserver/pkg/server/options: addEtcdHealthEndpoint. */
  otherStoreChecks: 34,
  /** Messages about --runtime-config name the flag, and unknown APIs with their versions. Mirrors apiserver/pkg/server/options: APIEnablementOptions.Validate. */
  runtimeConfigMessages: 36,
  /** Gates need others on: defaultKubernetesFeatureGateDependencies of pkg/features. */
  gateDependencies: 35,
  declaredHostUsers: 36,
  /** The page of the status lists paths; it and the one of flags are objects for who asks for them, since v1.36 in two versions. Mirrors apiserver/pkg/server/statusz, .../flagz. */
  statusPaths: 34,
  structuredPages: 35,
  betaPages: 36,
  /** Attempts to impersonate are counted, and what is asked of authorization for them. Mirrors endpoints/filters/impersonation/metrics. */
  impersonationMetrics: 36,
  /** The digests of configuration files that are in force are shown. Mirrors apiserver/pkg/util/configmetrics. */
  configurationDigests: 34,
  /** Fetches of the keys of issuers are shown. Mirrors k8s.io/apiserver/plugin/pkg/authenticator/token/oidc: metricsRoundTripper. */
  keySetMetrics: 36,
  /** Metrics of a resource name its group apart. Mirrors apiserver/pkg/storage/etcd3/metrics, .../storage/cacher/metrics. */
  groupLabels: 34,
  /** Metrics that are promised more than before, or are on their way out. */
  betaReloadMetrics: 34,
  betaWorkMetrics: 36,
  deprecatesObjectCounts: 35,
  /** There are metrics of watches that are narrowed to a shard. Mirrors apiserver/pkg/storage/cacher/metrics: RecordShardedWatchStarted. */
  shardedWatches: 36,
} as const satisfies Readonly<Record<string, number>>

/** Kinds whose updates are checked once since a release, by `group/Kind`. Mirrors the ValidateUpdate of their strategies in pkg/registry. */
const checkedOnce = {
  'apps/DaemonSet': 34,
  'apps/ReplicaSet': 34,
  '/Service': 34,
  '/PersistentVolumeClaim': 35,
  '/ReplicationController': 35,
  'rbac.authorization.k8s.io/ClusterRole': 35,
  'rbac.authorization.k8s.io/ClusterRoleBinding': 35,
  'rbac.authorization.k8s.io/Role': 35,
  'rbac.authorization.k8s.io/RoleBinding': 35,
  'resource.k8s.io/DeviceClass': 35,
  'storage.k8s.io/VolumeAttachment': 35,
  'storage.k8s.io/VolumeAttributesClass': 35,
  'networking.k8s.io/NetworkPolicy': 36,
  'storage.k8s.io/CSINode': 36,
} as const satisfies Readonly<Record<string, number>>

export type CheckedOnce = keyof typeof checkedOnce

export const isCheckedOnce = (release: number, kind: string): boolean =>
  Object.hasOwn(checkedOnce, kind) && release >= checkedOnce[kind as CheckedOnce]

/** Kinds of these whose status is checked by the rules of the whole object. Mirrors the status strategies that embed the others in pkg/registry. */
const wholeInStatus: ReadonlySet<string> = new Set(['storage.k8s.io/VolumeAttachment'])

export const checksWholeInStatus = (kind: string): boolean => wholeInStatus.has(kind)

/** Kinds of these whose metadata is still checked as that of a new object, too. */
const metadataCheckedTwice: ReadonlySet<string> = new Set(['resource.k8s.io/DeviceClass'])

export const keepsMetadataChecks = (kind: string): boolean => metadataCheckedTwice.has(kind)

/** Kinds whose names have a declared format since a release: what they are generated from has none. Mirrors apimachinery/pkg/api/validation: ValidateObjectMetaWithOpts. */
const declaredNames: Readonly<Record<string, number>> = {
  '/ReplicationController': 35,
  'resource.k8s.io/DeviceClass': 35,
}

export const hasDeclaredName = (release: number, kind: string): boolean =>
  Object.hasOwn(declaredNames, kind) && release >= (declaredNames[kind] ?? 0)

/** Kinds whose declared rules count since a release, by `group/Kind`. Mirrors the strategies with WithDeclarativeEnforcement in pkg/registry. */
const declaredEnforced: Readonly<Record<string, number>> = {
  'resource.k8s.io/ResourcePoolStatusRequest': 36,
  'scheduling.k8s.io/PodGroup': 36,
  'scheduling.k8s.io/Workload': 36,
}

export const enforcesDeclared = (release: number, kind: string): boolean =>
  Object.hasOwn(declaredEnforced, kind) && release >= (declaredEnforced[kind] ?? 0)

/** Rules ask for a kind's own change as `checksOnce/apps/DaemonSet`. */
type SingleCheck = `checksOnce/${CheckedOnce}`

export type NamedChange = keyof typeof releaseChanges
export type ReleaseChange = NamedChange | SingleCheck

const prefix = 'release:'

const singleChecks = Object.fromEntries(
  Object.entries(checkedOnce).map(([kind, release]) => [`checksOnce/${kind}`, release]),
) as Readonly<Record<SingleCheck, number>>
const allChanges: Readonly<Record<ReleaseChange, number>> = { ...releaseChanges, ...singleChecks }

/** Whether the release of a minor number has a change. */
export const hasChange = (release: number, change: ReleaseChange): boolean => release >= allChanges[change]

/** What a name stands for that is asked for like a gate: `release:quotesJson`; undefined for the name of a gate. */
export function changeNamed(name: string): ReleaseChange | undefined {
  if (!name.startsWith(prefix)) return undefined
  const change = name.slice(prefix.length)
  if (Object.hasOwn(allChanges, change)) return change as ReleaseChange
  throw new Error(`no release is known to have changed ${change}`)
}
