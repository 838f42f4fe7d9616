/**
 * Webhooks of files: they are called by a URL, as services may not be there when they are needed.
 * Mirrors k8s.io/apiserver/pkg/admission/plugin/webhook/manifest/loader: LoadManifests, ValidateWebhookClientConfig.
 */
import { quote } from '../../api/golang/quote.ts'
import type { KubeObject } from '../../api/object.ts'
import type { MutatingWebhook } from '../../catalog/types/admissionregistration-v1.ts'
import type { ManifestDocument } from './manifest-files.ts'
import { AcceptedManifests, acceptManifests, type ManifestLoading } from './manifest-objects.ts'

const scheme = 'pkg/admission/plugin/webhook/manifest/loader/loader.go:41'

export async function loadWebhooks(
  documents: readonly ManifestDocument[],
  { kind, types, check }: ManifestLoading,
): Promise<readonly KubeObject[]> {
  const configurations = new AcceptedManifests(check, checkClients)
  await acceptManifests(documents, { types, scheme }, (manifest, file) => configurations.take(manifest, kind, file))
  return configurations.all()
}

function checkClients(configuration: KubeObject, file: string): void {
  for (const { name, clientConfig } of (configuration['webhooks'] ?? []) as MutatingWebhook[]) {
    const place = `webhook ${quote(name)} in ${quote(configuration.metadata.name ?? '')} (file ${quote(file)})`
    if (clientConfig.service != null)
      throw new Error(
        `${place}: clientConfig.service is not supported for static manifests; use clientConfig.url instead`,
      )
    if ((clientConfig.url ?? '') === '') throw new Error(`${place}: clientConfig.url is required for static manifests`)
  }
}
