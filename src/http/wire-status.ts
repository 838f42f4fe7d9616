/**
 * The code that goes onto the wire. Codes come from strangers, too: from the Status of a webhook, from an aggregated server.
 * Node's HTTP/2 throws at what is not a final code of its range; such an answer is a 500, whatever its body says.
 */
export const wireStatus = (status: number): number =>
  Number.isInteger(status) && status >= 200 && status <= 599 ? status : 500
