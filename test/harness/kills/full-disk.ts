export async function fillDisk(_: unknown): Promise<void> {}
