/** A server that has been started, as the command line and the tests hold it. */
export interface RunningServer {
  /** The base URLs that it listens on, HTTPS first. */
  readonly addresses: readonly string[]
  /** Settles when `/readyz` answers ok. */
  readonly ready: Promise<void>
  /** Stops taking requests, lets those that run finish, ends watches, and closes the store after its last sync. */
  close(): Promise<void>
}
