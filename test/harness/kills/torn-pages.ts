export async function tearPages(_: unknown): Promise<void> {}
