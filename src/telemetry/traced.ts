/** What of the server is traced besides requests: the store and admission. Used only where tracing is on. */
import type { AdmissionPlugin } from '../admission/plugin.ts'
import type { AdmissionRequest } from '../api/admission.ts'
import type { Attributes, Trace, Tracer } from '../lib/tracer.ts'
import type { Store, WriteOperation } from '../store/store.ts'

/** The spans are named as those of the etcd client are, whatever the store. */
export function tracedStore(store: Store, trace: Trace): Store {
  const read = { 'db.system': store.name }
  const written = ({ type, key }: WriteOperation): Attributes => ({ ...read, operation: type, key })
  return {
    name: store.name,
    readsOwnWrites: store.readsOwnWrites,
    shared: store.shared,
    takesHints: store.takesHints ?? false,
    watermark: store.watermark,
    maxValueBytes: store.maxValueBytes,
    currentRevision: () => trace('etcdserverpb.KV/Range', read, () => store.currentRevision()),
    get: (key, options) => trace('etcdserverpb.KV/Range', { ...read, key }, () => store.get(key, options)),
    range: (key, options) => trace('etcdserverpb.KV/Range', { ...read, key }, () => store.range(key, options)),
    write: (operation) => trace('etcdserverpb.KV/Txn', written(operation), () => store.write(operation)),
    watch: (prefix, options) => store.watch(prefix, options),
    compact: (revision) => store.compact(revision),
    health: (signal, need) => store.health(signal, need),
    size: () => store.size(),
    close: () => store.close(),
  }
}

export function tracedPlugin(plugin: AdmissionPlugin, trace: Trace): AdmissionPlugin {
  const { name, mutate, validate } = plugin
  const about = ({ operation, resource, subresource }: AdmissionRequest): Attributes => ({
    plugin: name,
    operation,
    resource: resource.resource,
    ...(subresource === '' ? {} : { subresource }),
  })
  return {
    ...plugin,
    ...(mutate === undefined
      ? {}
      : {
          mutate: (request, pass) => trace(`Admit ${name}`, about(request), () => mutate(request, pass)),
        }),
    ...(validate === undefined
      ? {}
      : { validate: (request) => trace(`Validate ${name}`, about(request), () => validate(request)) }),
  }
}

/** Webhooks go on with the trace. */
export function traceHeaders(tracer: Tracer): Record<string, string> {
  const traceparent = tracer.traceparent()
  return traceparent === undefined ? {} : { traceparent }
}
