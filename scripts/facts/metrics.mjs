// The metrics that upstream documents: name, type, stability, labels and buckets; never their help.
import { parse } from 'yaml'

const list = 'test/instrumentation/documentation/documentation-list.yaml'
/** Those of other programs. */
const foreign =
  /^(kubelet|kubeproxy|scheduler|node_collector|attach_detach|job_controller|cronjob_controller|endpoint_slice|replicaset|statefulset|ttl_after|ephemeral_volume|pv_collector|volume_|storage_|csi_|cloud_provider|azure|root_ca_cert|clustertrustbundle|garbagecollector|horizontal_pod|node_ipam|service_controller|nodesync|reconciliation|container_|pod_|node_|machine_|device_taint|resourceclaim|selinux|leader_election|force_clean|prober|plugin_manager|cronjob|deployment)/

/** Lines `STABILITY type name labels buckets @release`: labels and buckets are sorted lists, `-` for none. */
export function metricFacts(checkout) {
  const rows = parse(checkout.read(list))
    .map((metric) => ({ ...metric, full: [metric.namespace, metric.subsystem, metric.name].filter(Boolean).join('_') }))
    .filter(({ full }) => !foreign.test(full) || /^pod_security_/.test(full))
    .map(metricLine)
  return `${[...new Set(rows)].sort((a, b) => (a.split(' ')[2] < b.split(' ')[2] ? -1 : 1)).join('\n')}\n`
}

/** Those that Prometheus' own library gives a histogram which names none. */
const usualBuckets = '0.005,0.01,0.025,0.05,0.1,0.25,0.5,1,2.5,5,10'

function metricLine({ full, type, stabilityLevel, labels = [], buckets = [], deprecatedVersion }) {
  const kind = type.toLowerCase()
  const bounds = buckets.join(',') || (kind === 'histogram' ? usualBuckets : '-')
  const cells = [stabilityLevel, kind, full, [...labels].sort().join(',') || '-', bounds]
  return [...cells, ...(deprecatedVersion ? [`@${deprecatedVersion}`] : [])].join(' ')
}
