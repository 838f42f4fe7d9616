// Whom a test acts as.
import type { Answer, CallOptions } from './calls.ts'
import type { ApiObject, StoredObject } from './objects.ts'

/** Whom a link to the console signs in. */
export interface ConsoleUser {
  /** The administrator if absent. */
  readonly user?: string
  readonly groups?: readonly string[]
}

/** What `client` takes: an API class of `@kubernetes/client-node`. */
// biome-ignore lint/suspicious/noExplicitAny: the constructor's argument is the other package's business
export type ApiClass<T> = new (configuration: any) => T

export interface TestKubeconfig {
  readonly server: string
  /** The config as data, as `KubeConfig.loadFromString(JSON.stringify(…))` takes it too. */
  readonly config: ApiObject
  yaml(): string
  /** Writes it to a file, a temporary one that goes with the server unless a path is given, and returns the path. */
  file(path?: string): string
}

export interface TestUser {
  readonly name: string
  readonly groups: readonly string[]
  readonly token: string
  kubeconfig(): TestKubeconfig
  client<T>(api: ApiClass<T> | string): Promise<T>
  call<T extends object = StoredObject>(
    method: string,
    path: string,
    body?: unknown,
    options?: Omit<CallOptions, 'user'>,
  ): Promise<T>
  send<T extends object = StoredObject>(
    method: string,
    path: string,
    body?: unknown,
    options?: Omit<CallOptions, 'user'>,
  ): Promise<Answer<T>>
  /** A client certificate and its key, as PEM. */
  certificate(): { cert: string; key: string }
}
