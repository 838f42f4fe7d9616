/** How the names of the console's session cookies begin, whose rest is the port: what signs people in must not leave this server. */
export const sessionCookiePrefix = 'pilothouse-console-'

/** Whether a pair of a Cookie header, `name=value`, is the session of a console. */
export const isSessionCookie = (pair: string): boolean =>
  pair
    .toLowerCase()
    .replace(/^__host-/, '')
    .startsWith(sessionCookiePrefix)
