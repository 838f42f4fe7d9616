// Labels and promises of metrics, as kube-apiserver of each release has them.

import { expect, it } from 'vitest'
import { metricDefinitions } from './definitions.ts'

const found = (release: number, name: string) => metricDefinitions(release).find((each) => each.name === name)

it.each<[string, string, string]>([
  ['apiserver_storage_list_total', 'resource', 'group,resource'],
  ['apiserver_storage_events_received_total', 'resource', 'group,resource'],
  ['apiserver_storage_decode_errors_total', 'resource', 'group,resource'],
  ['apiserver_watch_cache_consistent_read_total', 'fallback,resource,success', 'fallback,group,resource,success'],
  ['watch_cache_capacity', 'resource', 'group,resource'],
  ['apiserver_init_events_total', 'resource', 'group,resource'],
  ['apiserver_terminated_watchers_total', 'resource', 'group,resource'],
  ['apiserver_request_body_size_bytes', 'resource,verb', 'group,resource,verb'],
  ['apiserver_cache_list_total', 'resource_prefix,index', 'group,resource,index'],
  ['apiserver_cache_list_returned_objects_total', 'resource_prefix', 'group,resource'],
  ['etcd_requests_total', 'operation,type', 'operation,group,resource'],
  ['apiserver_watch_events_total', 'group,version,kind', 'group,version,resource'],
  ['apiserver_storage_objects', 'resource', 'resource'],
  ['pod_security_exemptions_total', 'request_operation,resource,subresource', 'request_operation,resource,subresource'],
])('%s is by %s, and by %s since 1.34', (name, before, since) => {
  expect([33, 34, 36].map((release) => found(release, name)?.labels.join())).toEqual([before, since, since])
})

it.each<[string, readonly string[]]>([
  ['workqueue_depth', ['ALPHA', 'ALPHA', 'ALPHA', 'BETA']],
  ['kubernetes_build_info', ['ALPHA', 'ALPHA', 'ALPHA', 'BETA']],
  ['apiserver_watch_list_duration_seconds', ['ALPHA', 'ALPHA', 'ALPHA', 'BETA']],
  ['apiserver_authentication_config_controller_automatic_reloads_total', ['ALPHA', 'BETA', 'BETA', 'BETA']],
  ['apiserver_authorization_config_controller_automatic_reloads_total', ['ALPHA', 'BETA', 'BETA', 'BETA']],
  ['apiserver_encryption_config_controller_automatic_reloads_total', ['ALPHA', 'ALPHA', 'ALPHA', 'ALPHA']],
])('%s is promised as %j from 1.33 on', (name, promised) => {
  expect([33, 34, 35, 36].map((release) => found(release, name)?.stability)).toEqual(promised)
})

it('says that counts of objects by resource alone are on their way out', () => {
  const deprecated = [33, 34, 35, 36].map((release) => found(release, 'apiserver_storage_objects')?.deprecated)
  expect(deprecated).toEqual([undefined, undefined, '1.34', '1.34'])
})

it.each([
  ['apiserver_authentication_config_controller_last_config_info', [34, 35, 36]],
  ['apiserver_encryption_config_controller_last_config_info', [34, 35, 36]],
  ['apiserver_impersonation_attempts_total', [36]],
  ['apiserver_impersonation_authorization_attempts_duration_seconds', [36]],
  ['apiserver_manifest_admission_config_controller_last_config_info', [36]],
])('%s is there at %j', (name, releases) => {
  expect([33, 34, 35, 36].filter((release) => found(release, name) !== undefined)).toEqual(releases)
})
