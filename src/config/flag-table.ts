/**
 * Every flag as data, one a line under its section: `name | type | default | what it does`. The names, types and
 * defaults are those of the reference; the first section is this server's own. A leading `~` marks a flag that is
 * accepted without effect, a leading `!` a deprecated one, `@34` one that there is since v1.34; `0 @36 366` is a default
 * that is another since v1.36.
 */
export const flagTable = `
[Pilothouse]
store | string | lmdb | Where objects are kept: lmdb (in the data folder), memory (until the server stops) or etcd
data-dir | string | pilothouse-data | The folder of the store, the certificates and the admin kubeconfig
insecure-port | int | 0 | Also serve plain HTTP without authentication on this port of the loopback address; 0 for not at all
controllers | strings | * | The built-in controllers to run: * for all that are on by default, name to add one, -name to leave one out
console | bool | false | Serve the console at /console/ and print a link that signs in once; on by default on a terminal
console-addresses | strings | | Addresses or ranges such as 10.0.0.0/8 from which the console may be used besides this machine
simulate | settings | | Run workload controllers, a scheduler and simulated nodes: alone, or with settings such as nodes=50,seed=7
test-endpoint | string | | For tests: an address such as 127.0.0.1:9443 where the state can be put back and things be broken; needs --store=memory
storage-reserve-megabytes | int | 64 | On the store lmdb: with less than this free on the disk only reads and deletes are served; unless set at most an eighth of the disk
request-workers | string | 1 | How many processes answer requests, or auto for one a processor; they share one store
max-connections | int | 20000 | How many connections the secure port takes at a time, more are closed at once; 0 for no limit
history-duration | duration | 5m0s | How long old revisions can still be read, on the stores lmdb and memory

[Generic]
advertise-address | ip | | The address by which members of the cluster reach this server
@34 coordinated-leadership-lease-duration | duration | 15s | How long the lease of coordinated leader election is valid
@34 coordinated-leadership-renew-deadline | duration | 10s | How long its holder goes on without having renewed it
@34 coordinated-leadership-retry-period | duration | 2s | How often it is renewed
cors-allowed-origins | strings | | Regular expressions of the origins that browsers may call from
default-not-ready-toleration-seconds | int | 300 | How long pods tolerate notReady:NoExecute unless they say so themselves
default-unreachable-toleration-seconds | int | 300 | How long pods tolerate unreachable:NoExecute unless they say so themselves
emulated-version | strings | | Behave as this release, such as 1.32
emulation-forward-compatible | bool | false | Serve APIs that are newer than the emulated version where an older version of them is on
external-hostname | string | | The host name for addresses that are given to the outside
feature-gates | gates | | Pairs Gate=true|false that switch features
goaway-chance | float | 0 | The chance that an HTTP/2 client is asked to connect anew, to spread load
livez-grace-period | duration | 0s | How long start-up may take before /livez reports it as failed
max-mutating-requests-inflight | int | 200 | How many changing requests run at a time; 0 for no limit
max-requests-inflight | int | 400 | How many reading requests run at a time; 0 for no limit
@35 min-compatibility-version | strings | | The oldest release of other servers that this one works with, at most three before its own, such as 1.34
min-request-timeout | int | 1800 | The shortest time in seconds after which a watch is ended
request-timeout | duration | 1m0s | How long a request may take, watches aside
runtime-config-emulation-forward-compatible | bool | false | Allow --runtime-config to name APIs that are newer than the emulated version
shutdown-delay-duration | duration | 0s | How long to keep serving, while /readyz fails, before the shutdown begins
shutdown-send-retry-after | bool | false | Refuse new requests with Retry-After while the server drains
shutdown-watch-termination-grace-period | duration | 0s | How long watches may take to end during the shutdown
storage-initialization-timeout | duration | 1m0s | How long the store may take to answer when the server starts; 5s at most
strict-transport-security-directives | strings | | Directives of the Strict-Transport-Security header

[Etcd]
delete-collection-workers | int | 1 | How many deletions of one deletecollection request run at a time
enable-garbage-collector | bool | true | Collect objects whose owners are gone
encryption-provider-config | string | | The file that says how objects are encrypted in the store
encryption-provider-config-automatic-reload | bool | false | Follow changes of that file
etcd-cafile | string | | The CA that etcd's certificate is checked against
etcd-certfile | string | | The certificate to show to etcd
etcd-compaction-interval | duration | 5m0s | How often old revisions are compacted away; 0 for never
etcd-count-metric-poll-period | duration | 1m0s | How often objects are counted for the metrics
etcd-db-metric-poll-interval | duration | 30s | How often the size of the database is asked for
etcd-healthcheck-timeout | duration | 2s | How long the health check waits for etcd
etcd-keyfile | string | | The key of --etcd-certfile
etcd-prefix | string | /registry | What every key in the store begins with
etcd-readycheck-timeout | duration | 2s | How long the readiness check waits for etcd
etcd-servers | strings | | The addresses of etcd, separated by commas; chooses the store etcd
etcd-servers-overrides | strings | | Other etcd servers for one resource: group/resource#servers, servers separated by semicolons
lease-reuse-duration-seconds | int | 60 | How long a lease in etcd is used for new events
storage-backend | string | | The kind of etcd: etcd3
~ storage-media-type | string | application/vnd.kubernetes.protobuf | The encoding of built-in kinds in the store
watch-cache | bool | true | Answer reads that may be old from memory as it is; false: every read is of the newest state
watch-cache-sizes | strings | | Sizes of the event history of one resource: resource[.group]#size

[Secure serving]
bind-address | ip | 0.0.0.0 | The address to listen on
cert-dir | string | | The folder of the certificates that the server makes itself; by default pki in the data folder
disable-http2-serving | bool | false | Serve HTTP/1.1 only
http2-max-streams-per-connection | int | 0 | How many streams an HTTP/2 connection may hold; 0 for the default
permit-address-sharing | bool | false | Listen with SO_REUSEADDR
permit-port-sharing | bool | false | Let other processes listen on the same port (SO_REUSEPORT); needs Node.js 22.12 or newer
secure-port | int | 6443 | The port of HTTPS
tls-cert-file | string | | The serving certificate, with its chain
tls-cipher-suites | strings | | The cipher suites for TLS 1.2, by their IANA names
@36 tls-curve-preferences | strings | | The key exchanges to take, by their numbers in TLS: 23 to 25 (P-256, P-384, P-521), 29 (X25519), 4588 (X25519MLKEM768)
tls-min-version | string | | The oldest TLS to take: VersionTLS10, VersionTLS11, VersionTLS12 or VersionTLS13
tls-private-key-file | string | | The key of --tls-cert-file
tls-sni-cert-key | stringArray | | A certificate and key for some host names: cert,key[:name,…]; may be repeated

[Auditing]
audit-log-batch-buffer-size | int | 10000 | How many audit events wait to be written
audit-log-batch-max-size | int | 1 | How many audit events are written at once
audit-log-batch-max-wait | duration | 0s | How long to wait for a batch to fill
audit-log-batch-throttle-burst | int | 0 | How many batches may be sent at the same moment
audit-log-batch-throttle-enable | bool | false | Limit the rate of batches
audit-log-batch-throttle-qps | float | 0 | How many batches a second on average
audit-log-compress | bool | false | Compress rotated audit logs
audit-log-format | string | json | The form of the audit log: json or legacy
audit-log-maxage | int | 0 @36 366 | How many days rotated audit logs are kept
audit-log-maxbackup | int | 0 @36 100 | How many rotated audit logs are kept
audit-log-maxsize | int | 0 @36 100 | The size in megabytes at which the audit log is rotated
audit-log-mode | string | blocking | How audit events are written: batch, blocking or blocking-strict
audit-log-path | string | | The file of the audit log; - for standard output
audit-log-truncate-enabled | bool | false | Cut events and batches that are too large
audit-log-truncate-max-batch-size | int | 10485760 | The largest batch in bytes
audit-log-truncate-max-event-size | int | 102400 | The largest event in bytes
audit-log-version | string | audit.k8s.io/v1 | The API version of the events
audit-policy-file | string | | What is audited, and how much of it
audit-webhook-batch-buffer-size | int | 10000 | How many audit events wait to be sent
audit-webhook-batch-max-size | int | 400 | How many audit events are sent at once
audit-webhook-batch-max-wait | duration | 30s | How long to wait for a batch to fill
audit-webhook-batch-throttle-burst | int | 15 | How many batches may be sent at the same moment
audit-webhook-batch-throttle-enable | bool | true | Limit the rate of batches
audit-webhook-batch-throttle-qps | float | 10 | How many batches a second on average
audit-webhook-config-file | string | | A kubeconfig with the address that audit events are sent to
audit-webhook-initial-backoff | duration | 10s | How long to wait before a failed send is tried again
audit-webhook-mode | string | batch | How audit events are sent: batch, blocking or blocking-strict
audit-webhook-truncate-enabled | bool | false | Cut events and batches that are too large
audit-webhook-truncate-max-batch-size | int | 10485760 | The largest batch in bytes
audit-webhook-truncate-max-event-size | int | 102400 | The largest event in bytes
audit-webhook-version | string | audit.k8s.io/v1 | The API version of the events

[Features]
~ contention-profiling | bool | false | Has no effect: there are no locks to wait for
debug-socket-path | string | | A socket that serves profiles without authentication
enable-priority-and-fairness | bool | true | Queue requests by priority and fairly instead of by the two limits
profiling | bool | true | Serve profiles below /debug/pprof

[Authentication]
anonymous-auth | bool | true | Let requests without credentials in as system:anonymous
api-audiences | strings | | The audiences that service account tokens are checked for; by default the issuer
authentication-config | string | | The file of structured authentication configuration
authentication-token-webhook-cache-ttl | duration | 2m0s | How long answers of the token webhook are kept
authentication-token-webhook-config-file | string | | A kubeconfig with the address of the token webhook
authentication-token-webhook-version | string | v1beta1 | The version of TokenReview that the webhook speaks
client-ca-file | string | | The CAs of client certificates; their common name is the user, their organizations the groups
enable-bootstrap-token-auth | bool | false | Take bootstrap tokens from secrets in kube-system
oidc-ca-file | string | | The CA that the issuer's certificate is checked against
oidc-client-id | string | | The audience of OpenID Connect tokens
oidc-groups-claim | string | | The claim that holds the groups
oidc-groups-prefix | string | | What is put in front of each group
oidc-issuer-url | string | | The address of the OpenID Connect issuer
oidc-required-claim | stringArray | | A claim=value that a token must hold; may be repeated
oidc-signing-algs | strings | RS256 | The signing algorithms that are taken
oidc-username-claim | string | sub | The claim that holds the user name
oidc-username-prefix | string | | What is put in front of the user name; - for nothing
requestheader-allowed-names | strings | | The common names of front proxies; all if empty
requestheader-client-ca-file | string | | The CA of front proxies
requestheader-extra-headers-prefix | strings | | Beginnings of the headers that hold extra information
requestheader-group-headers | strings | | The headers that hold groups
requestheader-uid-headers | strings | | The headers that hold the uid
requestheader-username-headers | strings | | The headers that hold the user name
service-account-extend-token-expiration | bool | true | Give tokens in pods a longer life than they ask for
service-account-issuer | stringArray | | The issuer of service account tokens; the first one signs, the others are taken too
service-account-jwks-uri | string | | The address of the key set in the discovery document
service-account-key-file | stringArray | | Keys that service account tokens are checked with; may be repeated
service-account-lookup | bool | true | Check that the objects a token is bound to still exist
service-account-max-token-expiration | duration | 0s | The longest life of a token; 0 for no limit
token-auth-file | string | | A file of static tokens: token,user,uid,"groups" on each line

[Authorization]
authorization-config | string | | The file of structured authorization configuration
authorization-mode | strings | RBAC | Who decides, in order: AlwaysAllow, AlwaysDeny, ABAC, Webhook, RBAC, Node
authorization-policy-file | string | | The policies of mode ABAC, one JSON object on each line
authorization-webhook-cache-authorized-ttl | duration | 5m0s | How long the webhook's yes is kept
authorization-webhook-cache-unauthorized-ttl | duration | 30s | How long the webhook's no is kept
authorization-webhook-config-file | string | | A kubeconfig with the address of the authorization webhook
authorization-webhook-version | string | v1beta1 | The version of SubjectAccessReview that the webhook speaks

[API enablement]
runtime-config | pairs | | Which APIs are served: api/all|ga|beta|alpha, group/version or group/version/resource, each =true|false

[Egress selector]
egress-selector-config-file | string | | Which way the server's own connections take

[Admission]
! admission-control | strings | | The old form of --enable-admission-plugins
admission-control-config-file | string | | The configuration of admission plugins
disable-admission-plugins | strings | | Admission plugins to switch off
enable-admission-plugins | strings | | Admission plugins to switch on besides the default ones

[Metrics]
allow-metric-labels | stringArray | | Values that labels of metrics may take: metric,label=values
allow-metric-labels-manifest | string | | A file of the same
disabled-metrics | strings | | Metrics that are left out
show-hidden-metrics-for-version | string | | Show the metrics again that were hidden in this release: the previous one

[Logs]
log-flush-frequency | duration | 5s | How often information messages are written that are buffered
log-json-info-buffer-size | string | 0 | Bytes of information messages that are buffered, such as 64Ki; needs --log-json-split-stream
log-json-split-stream | bool | false | Errors to standard error, information to standard output
log-text-info-buffer-size | string | 0 | The same for --log-text-split-stream
log-text-split-stream | bool | false | Errors to standard error, information to standard output
logging-format | string | text | The form of the log: text, or json for one JSON object on each line
v | int | 0 | How much is logged
~ vmodule | string | | Has no effect: it names source files of another program; use --v

[Traces]
tracing-config-file | string | | Where traces are sent

[Misc]
aggregator-reject-forwarding-redirect | bool | true | Answer 502 where an aggregated server redirects, and do not pass its redirect on
allow-privileged | bool | false | Allow privileged containers
enable-aggregator-routing | bool | false | Reach webhooks and aggregated servers by the endpoints of their service; false: by its cluster address; not given: by endpoints where it has ready ones
~! enable-logs-handler | bool | false | Serve /var/log below /logs
endpoint-reconciler-type | string | lease | Who keeps the endpoints of the service kubernetes: lease, none or master-count
event-ttl | duration | 1h0m0s | How long events are kept
kubelet-certificate-authority | string | | The CA of kubelets
kubelet-client-certificate | string | | The certificate to show to kubelets
kubelet-client-key | string | | The key of --kubelet-client-certificate
kubelet-preferred-address-types | strings | Hostname,InternalDNS,InternalIP,ExternalDNS,ExternalIP | Which of a node's addresses to use first
~ kubelet-timeout | duration | 5s | How long a kubelet may take
~ kubernetes-service-node-port | int | 0 | Make the service kubernetes a NodePort on this port
~ max-connection-bytes-per-sec | int | 0 | The rate of exec, attach and port-forward connections
~ peer-advertise-ip | string | | The address by which other servers reach this one
~ peer-advertise-port | string | | The port by which other servers reach this one
~ peer-ca-file | string | | The CA of other servers
proxy-client-cert-file | string | | The certificate to show to aggregated servers and webhooks
proxy-client-key-file | string | | The key of --proxy-client-cert-file
service-account-signing-endpoint | string | | The socket of a signer outside of this server
service-account-signing-key-file | string | | The key that signs service account tokens; by default one is made
service-cluster-ip-range | string | 10.0.0.0/24 | The addresses of services: one CIDR, or two of different families
service-node-port-range | string | 30000-32767 | The ports of NodePort services

[Global]
help | bool | false | Show this text
version | version | false | Show the version; raw: all that is known of it; vX.Y.Z…: report this one

[Hidden]
! apiserver-count | int | 1 | How many servers there are
! audit-webhook-batch-initial-backoff | duration | 10s | The old name of --audit-webhook-initial-backoff
~! default-watch-cache-size | int | 100 | The size of the event history
~! kubelet-port | int | 10250 | The port of kubelets
~! kubelet-read-only-port | int | 10255 | The port of kubelets without authentication
`
