export const defaultObject = (o: unknown) => o
