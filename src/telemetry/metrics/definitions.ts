/**
 * The metrics of a server: names, labels, buckets and stability are the reference's, since dashboards and alerts are
 * written against them. One line each: stability (`@` and the release that
 * deprecated it), type, name, labels, buckets, description.
 */

import { hasChange, type ReleaseChange } from '../../api/release-changes.ts'
import { defaultRelease } from '../../api/release-facts.ts'
import type { MetricDefinition, MetricType, Stability } from '../../lib/metrics.ts'
import { workBuckets } from '../../lib/work-queue.ts'

const latency = '0.005,0.025,0.05,0.1,0.2,0.4,0.6,0.8,1,1.25,1.5,2,3,4,5,6,8,10,15,20,30,45,60'
const sli = '0.05,0.1,0.2,0.4,0.6,0.8,1,1.25,1.5,2,3,4,5,6,8,10,15,20,30,45,60'
const admission = '0.005,0.025,0.1,0.5,1,2.5'
const work = workBuckets.join(',')
const waits = '0,0.005,0.02,0.05,0.1,0.2,0.5,1,2,5,10,15,30'
const flow = 'flow_schema,priority_level'
const target = 'group,version,resource,subresource,scope,component'

const doubling = (first: number, count: number): string =>
  Array.from({ length: count }, (_, i) => first * 2 ** i).join(',')

const rising = (first: number, step: number, count: number): string =>
  Array.from({ length: count }, (_, i) => first + i * step).join(',')

const rows = `
STABLE|counter|apiserver_request_total|verb,dry_run,${target},code||Requests that were answered, by verb, resource, scope and status code.
STABLE|histogram|apiserver_request_duration_seconds|verb,dry_run,${target}|${latency}|Time until requests were answered in seconds, by verb, resource and scope.
ALPHA|histogram|apiserver_request_sli_duration_seconds|verb,${target}|${sli}|Time to answer in seconds, without what webhooks and waiting took.
STABLE|histogram|apiserver_response_sizes|verb,${target}|1000,10000,100000,1000000,10000000,100000000,1000000000|Sizes of answers in bytes, by verb, resource and scope.
STABLE|gauge|apiserver_current_inflight_requests|request_kind||Requests that ran at the same time at most in the last second, by kind: mutating or readOnly.
ALPHA|gauge|apiserver_current_inqueue_requests|request_kind||Requests that waited for their turn at most in the last second, by kind.
ALPHA|histogram|apiserver_request_filter_duration_seconds|filter|0.0001,0.0003,0.001,0.003,0.01,0.03,0.1,0.3,1,5,10,15,30|Time that requests took to pass a filter, in seconds.
ALPHA|histogram|apiserver_request_body_size_bytes|resource,verb|${rising(50_000, 100_000, 31)}|Sizes of the bodies of requests in bytes, by resource and verb.
ALPHA|histogram|field_validation_request_duration_seconds|field_validation|${sli}|Time that requests took in seconds, by what they ask for unknown fields.
ALPHA|counter|apiserver_request_aborts_total|verb,group,version,resource,subresource,scope||Requests whose clients went away before there was an answer.
ALPHA|counter|apiserver_request_terminations_total|verb,${target},code||Requests that the server ended to protect itself.
ALPHA|counter|apiserver_request_post_timeout_total|source,status||Requests that came to an end after their time was up, and how.
STABLE|gauge|apiserver_longrunning_requests|verb,${target}||Watches and connections that are open, by verb, resource and scope.
STABLE|gauge|apiserver_storage_objects|resource||Objects in the store when they were last counted, by resource; -1 where that failed.
STABLE|gauge|apiserver_storage_size_bytes|storage_cluster_id||Bytes that the store takes.
STABLE|gauge|apiserver_requested_deprecated_apis|group,version,resource,subresource,removed_release||1 for every deprecated API that was asked for, with the release that removes it.
STABLE|histogram|apiserver_admission_controller_admission_duration_seconds|name,operation,rejected,type|${admission}|Time that an admission plugin took in seconds, by its name, operation and step (validate or admit).
STABLE|histogram|apiserver_admission_step_admission_duration_seconds|operation,rejected,type|${admission}|Time that all of admission took in seconds, by operation and step (validate or admit).
ALPHA|summary|apiserver_admission_step_admission_duration_seconds_summary|operation,rejected,type||Quantiles of the time that all of admission took lately, in seconds.
STABLE|histogram|apiserver_admission_webhook_admission_duration_seconds|name,operation,rejected,type|${admission},10,25|Time that a webhook took in seconds, by name, operation and step (validating or admit).
ALPHA|counter|apiserver_admission_webhook_rejection_count|name,operation,type,error_type,rejection_code||Requests that webhooks refused, or that failed because of one.
ALPHA|counter|apiserver_admission_webhook_request_total|name,type,operation,code,rejected||Questions to webhooks, by name, step, operation, status and outcome.
ALPHA|counter|apiserver_admission_webhook_fail_open_count|name,type||Webhooks that failed and were passed over.
ALPHA|counter|apiserver_conversion_webhook_request_total|result,failure_type||Reviews by conversion webhooks, by outcome.
ALPHA|histogram|apiserver_conversion_webhook_duration_seconds|result,failure_type|0.005,0.01,0.02,0.05,0.1,0.2,0.5,1,2,5,10,20,30,45,60|Time that reviews by conversion webhooks took, in seconds.
ALPHA|histogram|apiserver_crd_conversion_webhook_duration_seconds|crd_name,from_version,to_version,succeeded|${doubling(0.001, 15)}|Time that the conversions of a definition's objects by its webhook took, in seconds.
ALPHA|histogram|apiserver_admission_match_condition_evaluation_seconds|kind,name,operation,type|0.001,0.005,0.01,0.025,0.1,0.2,0.25|Time that the conditions of a webhook or policy took, in seconds.
ALPHA|counter|apiserver_admission_match_condition_exclusions_total|kind,name,operation,type||Requests that a webhook or policy was passed over for because of its conditions.
ALPHA|counter|apiserver_admission_match_condition_evaluation_errors_total|kind,name,operation,type||Requests for which the conditions of a webhook or policy could not be evaluated.
ALPHA|counter|pod_security_evaluations_total|decision,mode,policy_level,policy_version,request_operation,resource,subresource||Pods and workloads that Pod Security looked at, by what it found.
ALPHA|counter|pod_security_exemptions_total|request_operation,resource,subresource||Requests that Pod Security passes over.
ALPHA|counter|pod_security_errors_total|fatal,request_operation,resource,subresource||Requests for which Pod Security could not find out what holds.
BETA|counter|apiserver_validating_admission_policy_check_total|policy,policy_binding,error_type,enforcement_action||Validations of policies that failed or could not be evaluated, by policy, binding, sort of error and what was done.
BETA|histogram|apiserver_validating_admission_policy_check_duration_seconds|policy,policy_binding,error_type,enforcement_action|0.0000005,0.001,0.01,0.1,1|Time that such validations took in seconds.
BETA|histogram|apiserver_cel_compilation_duration_seconds||0.005,0.01,0.025,0.05,0.1,0.25,0.5,1,2.5,5,10|Time that compiling the expressions of a policy took in seconds.
BETA|histogram|apiserver_cel_evaluation_duration_seconds||0.005,0.01,0.025,0.05,0.1,0.25,0.5,1,2.5,5,10|Time that evaluating the expressions of a policy took in seconds.
BETA|gauge|apiserver_flowcontrol_current_executing_requests|${flow}||Requests that run, by flow schema and priority level.
BETA|gauge|apiserver_flowcontrol_current_executing_seats|${flow}||Seats of the requests that run or linger, by flow schema and priority level.
BETA|gauge|apiserver_flowcontrol_current_inqueue_requests|${flow}||Requests that wait, by flow schema and priority level.
ALPHA|gauge|apiserver_flowcontrol_current_inqueue_seats|${flow}||Seats that waiting requests will take, by flow schema and priority level.
BETA|counter|apiserver_flowcontrol_dispatched_requests_total|${flow}||Requests that were let through, by flow schema and priority level.
BETA|counter|apiserver_flowcontrol_rejected_requests_total|${flow},reason||Requests that were turned away, by flow schema, priority level and reason.
ALPHA|counter|apiserver_flowcontrol_request_dispatch_no_accommodation_total|${flow}||Times that the next request in turn needed more seats than were free.
ALPHA|histogram|apiserver_flowcontrol_request_execution_seconds|${flow},type|${waits}|Time that requests ran, in seconds, by flow schema, priority level and sort.
BETA|histogram|apiserver_flowcontrol_request_wait_duration_seconds|execute,${flow}|${waits}|Time that requests waited, in seconds, by what became of them, flow schema and priority level.
ALPHA|histogram|apiserver_flowcontrol_request_queue_length_after_enqueue|${flow}|0,10,25,50,100,250,500,1000|Length of a queue after a request was put into it.
ALPHA|histogram|apiserver_flowcontrol_work_estimated_seats|${flow}|1,2,4,10|Seats that requests were taken to need.
ALPHA|histogram|apiserver_flowcontrol_watch_count_samples|${flow}|0,1,10,100,1000,10000|Watches that changes had to be told to.
BETA|gauge|apiserver_flowcontrol_nominal_limit_seats|priority_level||Seats of a priority level before lending and borrowing.
ALPHA@1.31|gauge|apiserver_flowcontrol_request_concurrency_in_use|${flow}||Seats of the requests that run, by flow schema and priority level.
ALPHA@1.30|gauge|apiserver_flowcontrol_request_concurrency_limit|priority_level||Seats of a priority level before lending and borrowing.
ALPHA|gauge|apiserver_flowcontrol_lower_limit_seats|priority_level||Seats that a priority level keeps when it has lent all that it may.
ALPHA|gauge|apiserver_flowcontrol_upper_limit_seats|priority_level||Seats that a priority level has when it has borrowed all that it may.
ALPHA|gauge|apiserver_flowcontrol_current_limit_seats|priority_level||Seats of a priority level now.
ALPHA|gauge|apiserver_flowcontrol_target_seats|priority_level||Seats that a priority level would like to have.
ALPHA|gauge|apiserver_flowcontrol_demand_seats_average|priority_level||Seats that a priority level needed on average in the last period.
ALPHA|gauge|apiserver_flowcontrol_demand_seats_high_watermark|priority_level||Seats that a priority level needed at most in the last period.
ALPHA|gauge|apiserver_flowcontrol_demand_seats_smoothed|priority_level||Seats that a priority level needs, rising at once and falling slowly.
ALPHA|gauge|apiserver_flowcontrol_demand_seats_stdev|priority_level||How much the need of a priority level for seats varied in the last period.
ALPHA|gauge|apiserver_flowcontrol_seat_fair_frac|||The part of its target that a priority level gets unless a bound stops it.
ALPHA|gauge|apiserver_flowcontrol_current_r|priority_level||The progress meter of fair queuing, in seat-seconds.
ALPHA|gauge|apiserver_flowcontrol_dispatch_r|priority_level||The progress meter when a request was last taken from a queue.
ALPHA|gauge|apiserver_flowcontrol_latest_s|priority_level||The virtual time at which the request that was last taken from a queue began.
ALPHA|gauge|apiserver_flowcontrol_next_s_bounds|bound,priority_level||Least and greatest virtual time at which the first requests of the queues would begin.
ALPHA|gauge|apiserver_flowcontrol_next_discounted_s_bounds|bound,priority_level||The same without the work that their queues have under way.
|histogram|apiserver_flowcontrol_demand_seats|priority_level|0.2,0.4,0.6,0.8,1,1.2,1.4,1.7,2,2.8,4,6|Nanoseconds for which a priority level could have used so large a part of its nominal seats.
|histogram|apiserver_flowcontrol_priority_level_request_utilization|phase,priority_level|0,0.001,0.003,0.01,0.03,0.1,0.25,0.5,0.75,1|Nanoseconds for which so large a part of the room for requests was taken, running or waiting.
|histogram|apiserver_flowcontrol_priority_level_seat_utilization|phase,priority_level|0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,0.95,0.99,1|Nanoseconds for which so large a part of the seats was taken.
|histogram|apiserver_flowcontrol_read_vs_write_current_requests|phase,request_kind|0,0.001,0.01,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,0.95,0.99,1|Nanoseconds for which so many requests ran or waited, as a part of their limit where there is one.
ALPHA|counter|apiserver_audit_event_total|||Audit events that were made.
ALPHA|counter|apiserver_audit_error_total|plugin||Audit events that were lost, by the part that lost them.
ALPHA|counter|apiserver_audit_level_total|level||Requests by the level at which the audit policy records them.
ALPHA|counter|apiserver_audit_requests_rejected_total|||Requests that were refused because auditing them failed.
ALPHA|counter|apiserver_authentication_config_controller_automatic_reloads_total|apiserver_id_hash,status||Times that a changed authentication configuration was taken or refused.
ALPHA|gauge|apiserver_authentication_config_controller_automatic_reload_last_timestamp_seconds|apiserver_id_hash,status||When a changed authentication configuration was last taken or refused.
ALPHA|counter|apiserver_authorization_config_controller_automatic_reloads_total|apiserver_id_hash,status||Times that a changed authorization configuration was taken or refused.
ALPHA|gauge|apiserver_authorization_config_controller_automatic_reload_last_timestamp_seconds|apiserver_id_hash,status||When a changed authorization configuration was last taken or refused.
ALPHA|counter|apiserver_authorization_decisions_total|decision,name,type||Decisions of each authorizer to allow or to deny.
ALPHA|counter|apiserver_authorization_match_condition_evaluation_errors_total|name,type||Requests for which the conditions of an authorizer could not be evaluated.
ALPHA|histogram|apiserver_authorization_match_condition_evaluation_seconds|name,type|0.001,0.005,0.01,0.025,0.1,0.2,0.25|Time that the conditions of an authorizer took, in seconds.
ALPHA|counter|apiserver_authorization_match_condition_exclusions_total|name,type||Requests that an authorizer was not asked about because of its conditions.
ALPHA|histogram|apiserver_authorization_webhook_duration_seconds|name,result|0.005,0.01,0.025,0.05,0.1,0.25,0.5,1,2.5,5,10|Time that an authorization webhook took, in seconds.
ALPHA|counter|apiserver_authorization_webhook_evaluations_fail_open_total|name,result||Times that an authorization webhook failed and was passed over.
ALPHA|counter|apiserver_authorization_webhook_evaluations_total|name,result||Questions to authorization webhooks, by outcome.
ALPHA|histogram|apiserver_authentication_jwt_authenticator_latency_seconds|jwt_issuer_hash,result|0.001,0.005,0.01,0.025,0.05,0.1,0.25,0.5,1,2.5,5,10|Time that judging the token of an issuer took, in seconds.
ALPHA|counter|apiserver_egress_dialer_dial_start_total|protocol,transport||Connections that were begun through an egress proxy.
ALPHA|histogram|apiserver_egress_dialer_dial_duration_seconds|protocol,transport|0.005,0.025,0.1,0.5,2.5,12.5|Time until a connection through an egress proxy was there, in seconds.
ALPHA|counter|apiserver_egress_dialer_dial_failure_count|protocol,stage,transport||Connections that failed at an egress proxy, or behind it.
ALPHA|counter|apiserver_stream_translator_requests_total|code||Requests for exec and attach over a WebSocket that were translated for a kubelet, by status.
ALPHA|counter|apiserver_stream_tunnel_requests_total|code||Requests for port-forward that were tunnelled through a WebSocket, by status.
ALPHA|counter|apiserver_watch_events_total|group,version,kind||Events that were sent to watchers, by kind.
ALPHA|histogram|apiserver_watch_events_sizes|group,version,kind|1024,2048,4096,8192,16384,32768,65536,131072|Sizes of the events that were sent to watchers in bytes, by kind.
ALPHA|histogram|apiserver_watch_list_duration_seconds|group,version,resource,scope|0.05,0.1,0.2,0.4,0.6,0.8,1,2,4,6,8,10,15,20,30,45,60|Time until a watch had sent the state that it began with, in seconds.
ALPHA|counter|apiserver_terminated_watchers_total|resource||Watches that ended because their clients did not read.
ALPHA|counter|apiserver_watch_cache_events_received_total|resource||Changes that caches were fed, by resource.
ALPHA|counter|apiserver_watch_cache_events_dispatched_total|resource||Changes that caches passed on to watchers, by resource.
ALPHA|counter|apiserver_watch_cache_initializations_total|resource||How often a cache was filled from the store.
ALPHA|gauge|apiserver_watch_cache_resource_version|resource||The resource version that a cache has reached.
ALPHA|counter|apiserver_watch_cache_consistent_read_total|fallback,resource,success||Lists of the newest state that were answered from memory, by whether it came in time.
ALPHA|histogram|apiserver_watch_cache_read_wait_seconds|resource|0.005,0.025,0.05,0.1,0.2,0.4,0.6,0.8,1,1.25,1.5,2,3|Time that such lists waited for the newest state, in seconds.
ALPHA|counter|apiserver_init_events_total|resource||Events of the state that watches began with.
ALPHA|gauge|watch_cache_capacity|resource||Changes that a cache keeps for watchers that come later.
ALPHA|counter|apiserver_storage_events_received_total|resource||Changes that came from the store, by resource.
ALPHA|counter|apiserver_cache_list_total|resource_prefix,index||Lists that were answered from memory, by resource and the index that was used.
ALPHA|counter|apiserver_cache_list_fetched_objects_total|resource_prefix,index||Objects that such lists looked at.
ALPHA|counter|apiserver_cache_list_returned_objects_total|resource_prefix||Objects that such lists returned.
ALPHA|counter|apiserver_storage_list_total|resource||Lists that were read from the store, by resource.
ALPHA|counter|apiserver_storage_list_fetched_objects_total|resource||Objects that such lists read.
ALPHA|counter|apiserver_storage_list_evaluated_objects_total|resource||Objects that such lists looked at.
ALPHA|counter|apiserver_storage_list_returned_objects_total|resource||Objects that such lists returned.
ALPHA|counter|apiserver_tls_handshake_errors_total|||Connections that failed before their first request.
ALPHA|histogram|apiserver_client_certificate_expiration_seconds||0,1800,3600,7200,21600,43200,86400,172800,345600,604800,2592000,7776000,15552000,31104000|How long the certificates of clients are still good, in seconds, by request.
ALPHA|counter|authentication_token_cache_request_total|status||Tokens that were looked up in the cache of tokens, by whether they were there.
ALPHA|histogram|authentication_token_cache_request_duration_seconds|status|0.005,0.01,0.025,0.05,0.1,0.25,0.5,1,2.5,5,10|Time that this took, in seconds.
ALPHA|counter|authentication_token_cache_fetch_total|status||Tokens that others were asked about, by outcome.
ALPHA|gauge|authentication_token_cache_active_fetch_count|status||Tokens that others are being asked about, and requests that wait for somebody else's answer.
ALPHA|counter|serviceaccount_valid_tokens_total|||Service account tokens that were used.
ALPHA|counter|serviceaccount_stale_tokens_total|||Service account tokens that were used although a new one should have been asked for.
ALPHA|counter|serviceaccount_legacy_tokens_total|||Uses of tokens that secrets hold.
ALPHA|counter|serviceaccount_legacy_auto_token_uses_total|||Uses of tokens in secrets that the cluster made.
ALPHA|counter|serviceaccount_legacy_manual_token_uses_total|||Uses of tokens in secrets that somebody made.
ALPHA|counter|serviceaccount_invalid_legacy_auto_token_uses_total|||Attempts to use tokens in secrets that the cluster made and has declared invalid.
ALPHA|gauge|apiserver_externaljwt_fetch_keys_success_timestamp|||When the keys of the external signer were last fetched, in seconds since 1970.
ALPHA|gauge|apiserver_externaljwt_fetch_keys_data_timestamp|||The age that the external signer gives to its keys, in seconds since 1970.
ALPHA|counter|apiserver_externaljwt_fetch_keys_request_total|code||Attempts to fetch the keys of the external signer, by status.
ALPHA|counter|apiserver_externaljwt_sign_request_total|code||Tokens that the external signer was asked to sign, by status.
ALPHA|histogram|apiserver_externaljwt_request_duration_seconds|method,code|0.001,0.005,0.01,0.025,0.05,0.1,0.25,0.5,1,2.5,5,10,30,60|Time that the external signer took in seconds, by method and status.
ALPHA|counter|apiserver_certificates_registry_csr_requested_duration_total|signerName||Certificates that were issued where a lifetime was asked for, by signer.
ALPHA|counter|apiserver_certificates_registry_csr_honored_duration_total|signerName||Those of them that have about that lifetime, by signer.
ALPHA|counter|authenticated_user_requests|username||Requests whose sender is known, by the sort of user.
ALPHA|counter|authentication_attempts|result||Attempts to find out who asks, by outcome.
ALPHA|histogram|authentication_duration_seconds|result|${doubling(0.001, 15)}|Time that finding out who asks took in seconds, by outcome.
ALPHA|histogram|authorization_duration_seconds|result|${doubling(0.001, 15)}|Time that deciding what may be done took in seconds, by outcome.
ALPHA|counter|authorization_attempts_total|result||Decisions about what may be done, by outcome.
BETA|counter|apiserver_validation_declarative_validation_mismatch_total|||Results of declared validation rules that differ from the coded ones.
BETA|counter|declarative_validation_mismatch_total|||Results of declared validation rules that differ from the coded ones.
BETA|counter|apiserver_validation_declarative_validation_panic_total|||Declared validation rules that failed to run.
ALPHA|histogram|etcd_request_duration_seconds|operation,type|${latency}|Time that the store took in seconds, by operation and resource.
ALPHA|counter|etcd_requests_total|operation,type||Requests to the store, by operation and resource.
ALPHA|counter|etcd_request_errors_total|operation,type||Requests to the store that failed, by operation and resource.
ALPHA|counter|apiserver_storage_transformation_operations_total|resource,transformation_type,transformer_prefix,status||Values that were encrypted or decrypted, by resource, direction, provider and outcome.
ALPHA|histogram|apiserver_storage_transformation_duration_seconds|transformation_type,transformer_prefix|${doubling(5e-6, 25)}|Time that encrypting or decrypting a value took in seconds.
ALPHA|counter|apiserver_storage_envelope_transformation_cache_misses_total|||Data keys that had to be asked for from a KMS plugin.
ALPHA|histogram|apiserver_storage_data_key_generation_duration_seconds||${doubling(5e-6, 14)}|Time that making a data key took in seconds.
ALPHA|counter|apiserver_storage_data_key_generation_failures_total|||Data keys that could not be made.
ALPHA|gauge|apiserver_envelope_encryption_dek_cache_fill_percent|||The share of the cache of data keys that is in use.
ALPHA|histogram|apiserver_envelope_encryption_dek_cache_inter_arrival_time_seconds|transformation_type|${doubling(60, 10)}|Time between two values for KMS v1 plugins in seconds.
ALPHA|gauge|apiserver_envelope_encryption_dek_source_cache_size|provider_name||Data keys that are kept, by KMS v2 plugin.
ALPHA|histogram|apiserver_envelope_encryption_kms_operations_latency_seconds|provider_name,method_name,grpc_status_code|${doubling(0.0001, 20)}|Time that calls of KMS v2 plugins took in seconds, by outcome.
ALPHA|counter|apiserver_envelope_encryption_key_id_hash_total|transformation_type,provider_name,key_id_hash,apiserver_id_hash||How often a key of a KMS v2 plugin was used.
ALPHA|gauge|apiserver_envelope_encryption_key_id_hash_last_timestamp_seconds|transformation_type,provider_name,key_id_hash,apiserver_id_hash||When a key of a KMS v2 plugin was last used.
ALPHA|gauge|apiserver_envelope_encryption_key_id_hash_status_last_timestamp_seconds|provider_name,key_id_hash,apiserver_id_hash||When a KMS v2 plugin last named a key as its present one.
ALPHA|counter|apiserver_envelope_encryption_invalid_key_id_from_status_total|provider_name,error||How often a KMS v2 plugin named a key that cannot be one.
ALPHA|counter|apiserver_encryption_config_controller_automatic_reloads_total|status,apiserver_id_hash||Times that a changed encryption configuration was taken or refused.
ALPHA|gauge|apiserver_encryption_config_controller_automatic_reload_last_timestamp_seconds|status,apiserver_id_hash||When a changed encryption configuration was last taken or refused.
ALPHA@1.30|counter|apiserver_encryption_config_controller_automatic_reload_success_total|apiserver_id_hash||Times that a changed encryption configuration was taken.
ALPHA@1.30|counter|apiserver_encryption_config_controller_automatic_reload_failures_total|apiserver_id_hash||Times that a changed encryption configuration was refused.
ALPHA|counter|apiserver_storage_decode_errors_total|resource||Values of the store that could not be decoded, by resource.
ALPHA|gauge|workqueue_longest_running_processor_seconds|name||How long the longest piece of work under way has taken, in seconds.
ALPHA|gauge|workqueue_unfinished_work_seconds|name||How long all work under way has taken, in seconds.
ALPHA|gauge|workqueue_depth|name||Things that wait to be worked on, by queue.
ALPHA|counter|workqueue_adds_total|name||Things that were put into a queue.
ALPHA|counter|workqueue_retries_total|name||Things that were put into a queue again after a failure.
ALPHA|histogram|workqueue_queue_duration_seconds|name|${work}|Time that things waited in a queue, in seconds.
ALPHA|histogram|workqueue_work_duration_seconds|name|${work}|Time that work on things of a queue took, in seconds.
ALPHA|counter|rest_client_requests_total|code,host,method||Requests that this server sent to others.
ALPHA|counter|aggregator_unavailable_apiservice_total|name,reason||How often the server of an APIService became unavailable.
ALPHA|counter|aggregator_discovery_aggregation_count_total|||How often the discovery document of everything was made.
ALPHA|gauge|kube_apiserver_clusterip_allocator_allocated_ips|cidr||Addresses of services that are given out, by range.
ALPHA|gauge|kube_apiserver_clusterip_allocator_available_ips|cidr||Addresses of services that are left, by range.
ALPHA|counter|kube_apiserver_clusterip_allocator_allocation_total|cidr,scope||Addresses that were given out, by range and whether they were asked for.
ALPHA|histogram|kube_apiserver_clusterip_allocator_allocation_duration_seconds|cidr|0.005,0.01,0.025,0.05,0.1,0.25,0.5,1,2.5,5,10|Time that this took, in seconds.
ALPHA|gauge|kube_apiserver_nodeport_allocator_allocated_ports|||Node ports that are given out.
ALPHA|gauge|kube_apiserver_nodeport_allocator_available_ports|||Node ports that are left.
ALPHA|counter|apiserver_clusterip_repair_ip_errors_total|type||Addresses whose record had to be put right.
ALPHA|counter|apiserver_clusterip_repair_reconcile_errors_total|||Failed attempts to hold the record of addresses against the services.
ALPHA|counter|apiserver_nodeport_repair_port_errors_total|type||Node ports whose record had to be put right.
ALPHA|counter|apiserver_nodeport_repair_reconcile_errors_total|||Failed attempts to hold the record of node ports against the services.
ALPHA|gauge|aggregator_unavailable_apiservice|name||1 for every APIService whose server does not answer.
ALPHA|gauge|kubernetes_build_info|build_date,compiler,git_commit,git_tree_state,git_version,go_version,major,minor,platform||1, with the version in the labels.
BETA|gauge|kubernetes_feature_enabled|name,stage||1 for every feature gate that is on, 0 for the others.
BETA|counter|registered_metrics_total|stability_level,deprecated_version||Metrics on this page, by stability.
BETA|counter|hidden_metrics_total|||Metrics that this release hides.
BETA|counter|disabled_metrics_total|||Metrics that were switched off.
ALPHA|counter|cardinality_enforcement_unexpected_categorizations_total|||How often a label had a value that is not allowed.
|counter|process_cpu_seconds_total|||CPU time used, in seconds.
|gauge|process_resident_memory_bytes|||Memory in use, in bytes.
|gauge|process_virtual_memory_bytes|||Address space in use, in bytes.
|gauge|process_start_time_seconds|||When the process started, in seconds since 1970.
|gauge|process_open_fds|||Open files and sockets.
|gauge|process_max_fds|||The most files and sockets that may be open.
|gauge|go_goroutines|||Resources that keep the event loop busy, under the name that dashboards look for.
|gauge|nodejs_heap_size_used_bytes|||Memory that JavaScript objects take, in bytes.
|gauge|nodejs_heap_size_total_bytes|||Memory set aside for JavaScript objects, in bytes.
|gauge|nodejs_external_memory_bytes|||Memory of buffers outside of the heap, in bytes.
|gauge|nodejs_eventloop_lag_mean_seconds|||How late the event loop was on average since the last look at this page, in seconds.
|gauge|nodejs_eventloop_lag_max_seconds|||How late the event loop was at most since the last look at this page, in seconds.
|gauge|nodejs_eventloop_lag_p99_seconds|||How late the event loop was in all but one of a hundred cases since the last look at this page, in seconds.
|gauge|nodejs_eventloop_hold_max_seconds|||The most processor time that passed since the last look at this page before the event loop went round, in seconds.
|gauge|nodejs_eventloop_utilization|||The share of time since the last look at this page that the event loop was busy.
`

/** Those that came with a later release than the default one. */
const laterRows: readonly (readonly [change: ReleaseChange, row: string])[] = [
  [
    'laterMetrics',
    'ALPHA|gauge|apiserver_resource_objects|group,resource||Objects in the store when they were last counted, by group and resource; -1 where that failed.',
  ],
  [
    'laterMetrics',
    'ALPHA|gauge|apiserver_resource_size_estimate_bytes|group,resource||Bytes of the objects of a resource, as they were last written.',
  ],
  [
    'laterMetrics',
    'ALPHA|gauge|version_info|component,binary,emulation,min_compat||1, with the versions of the program, of the release that it behaves as and of the oldest one that it works with.',
  ],
  [
    'laterMetrics',
    'ALPHA|counter|apiserver_mutating_admission_policy_check_total|policy,policy_binding,error_type||Mutations of policies that were evaluated, by policy, binding and sort of error.',
  ],
  [
    'laterMetrics',
    'ALPHA|histogram|apiserver_mutating_admission_policy_check_duration_seconds|policy,policy_binding,error_type|0.0000005,0.001,0.01,0.1,1|Time that such mutations took in seconds.',
  ],
  [
    'countsRepeatedErrors',
    'INTERNAL|counter|apiserver_validation_duplicate_validation_error_total|||Errors that the validation of an update reported more than once.',
  ],
  [
    'countsDeclaredByIdentifier',
    'ALPHA|counter|apiserver_validation_declarative_validation_parity_discrepancies_total|validation_identifier||Results of declared validation rules that differ from the coded ones, by what was validated.',
  ],
  [
    'countsDeclaredByIdentifier',
    'ALPHA|counter|apiserver_validation_declarative_validation_panics_total|validation_identifier||Declared validation rules that failed to run, by what was validated.',
  ],
  [
    'manifestFolders',
    'ALPHA|counter|apiserver_manifest_admission_config_controller_automatic_reloads_total|status,plugin,apiserver_id_hash||Times that webhooks or policies of a folder were taken or refused, by plugin.',
  ],
  [
    'manifestFolders',
    'ALPHA|gauge|apiserver_manifest_admission_config_controller_automatic_reload_last_timestamp_seconds|status,plugin,apiserver_id_hash||When webhooks or policies of a folder were last taken or refused, by plugin.',
  ],
  [
    'manifestFolders',
    'ALPHA|gauge|apiserver_manifest_admission_config_controller_last_config_info|plugin,apiserver_id_hash,hash||1, with the digest of the files whose webhooks or policies are in force, by plugin.',
  ],
  [
    'configurationDigests',
    'ALPHA|gauge|apiserver_authentication_config_controller_last_config_info|apiserver_id_hash,hash||1, with the digest of the authentication configuration that is in force.',
  ],
  [
    'configurationDigests',
    'ALPHA|gauge|apiserver_authorization_config_controller_last_config_info|apiserver_id_hash,hash||1, with the digest of the authorization configuration that is in force.',
  ],
  [
    'configurationDigests',
    'ALPHA|gauge|apiserver_encryption_config_controller_last_config_info|apiserver_id_hash,hash||1, with the digest of the encryption configuration that is in force.',
  ],
  [
    'keySetMetrics',
    'ALPHA|gauge|apiserver_authentication_jwt_authenticator_jwks_fetch_last_timestamp_seconds|result,jwt_issuer_hash,apiserver_id_hash||When the keys of an issuer were last fetched, by outcome.',
  ],
  [
    'keySetMetrics',
    'ALPHA|gauge|apiserver_authentication_jwt_authenticator_jwks_fetch_last_key_set_info|jwt_issuer_hash,apiserver_id_hash,hash||1, with the digest of the keys of an issuer that were fetched last.',
  ],
  [
    'impersonationMetrics',
    'ALPHA|counter|apiserver_impersonation_attempts_total|mode,decision||Requests to act as somebody else, by mode and decision.',
  ],
  [
    'impersonationMetrics',
    `ALPHA|histogram|apiserver_impersonation_attempts_duration_seconds|mode,decision|${doubling(0.001, 15)}|Time until it was decided on such requests, in seconds.`,
  ],
  [
    'impersonationMetrics',
    'ALPHA|counter|apiserver_impersonation_authorization_attempts_total|mode,decision||What was asked of authorization for such requests, by mode and decision.',
  ],
  [
    'impersonationMetrics',
    `ALPHA|histogram|apiserver_impersonation_authorization_attempts_duration_seconds|mode,decision|${doubling(0.001, 15)}|Time until authorization answered for such requests, in seconds.`,
  ],
  [
    'shardedWatches',
    'ALPHA|gauge|apiserver_watch_shards_total|group,resource||Open watches that are narrowed to a shard.',
  ],
  [
    'shardedWatches',
    'ALPHA|counter|apiserver_watch_filtered_events_total|group,resource||Objects that watches left out as not of their shard.',
  ],
]

/** The metrics of `/metrics`, at a release; absent for the default one. */
export function metricDefinitions(release: number = defaultRelease): MetricDefinition[] {
  const later = laterRows.filter(([change]) => hasChange(release, change)).map(([, row]) => row)
  const made = parse([rows.trim(), ...later].join('\n'))
  return made.map((each) => definitionAt(each, (change) => hasChange(release, change)))
}

/** Labels that became two, `group` and `resource`, by their name before. */
const groupedLabels: Readonly<Record<string, RegExp>> = {
  resource:
    /^(apiserver_(request_body_size_bytes|terminated_watchers_total|watch_cache_.*|init_events_total|storage_(events|list|decode)_.*)|watch_cache_capacity)$/,
  resource_prefix: /^apiserver_cache_list_/,
  type: /^etcd_request/,
}

const promises: readonly (readonly [change: ReleaseChange, name: RegExp, promise: Partial<MetricDefinition>])[] = [
  ['betaReloadMetrics', /^apiserver_auth\w+_config_controller_automatic_reload/, { stability: 'BETA' }],
  [
    'betaWorkMetrics',
    /^(workqueue_|kubernetes_build_info$|apiserver_storage_events_received_total$|apiserver_watch_list_duration_seconds$)/,
    { stability: 'BETA' },
  ],
  ['deprecatesObjectCounts', /^apiserver_storage_objects$/, { deprecated: '1.34' }],
]

/** A metric as a release has it. */
function definitionAt(before: MetricDefinition, asks: (change: ReleaseChange) => boolean): MetricDefinition {
  const { name, labels } = before
  const promised = promises.filter(([change, pattern]) => asks(change) && pattern.test(name))
  const made: MetricDefinition = Object.assign({}, before, ...promised.map(([, , promise]) => promise))
  if (!asks('groupLabels')) return made
  if (name.startsWith('apiserver_watch_events_'))
    return { ...made, labels: labels.map((label) => (label === 'kind' ? 'resource' : label)) }
  const at = labels.findIndex((label) => groupedLabels[label]?.test(name))
  if (at < 0) return made
  return { ...made, labels: [...labels.slice(0, at), 'group', 'resource', ...labels.slice(at + 1)], joined: at }
}

/** The metrics of `/metrics/slis`. */
export function healthDefinitions(): MetricDefinition[] {
  return parse(`
STABLE|gauge|kubernetes_healthcheck|name,type||1 while a health check succeeds, 0 while it fails.
STABLE|counter|kubernetes_healthchecks_total|name,status,type||Health checks that were made, by outcome.
`)
}

function parse(text: string): MetricDefinition[] {
  return text
    .trim()
    .split('\n')
    .map((row) => {
      const [promise = '', type = '', name = '', labels = '', buckets = '', help = ''] = row.split('|')
      const [stability = '', deprecated] = promise.split('@')
      return {
        name,
        type: type as MetricType,
        ...(stability === '' ? {} : { stability: stability as Stability }),
        help,
        labels: labels === '' ? [] : labels.split(','),
        ...(deprecated === undefined ? {} : { deprecated }),
        ...(buckets === '' ? {} : { buckets: buckets.split(',').map(Number) }),
      }
    })
}
