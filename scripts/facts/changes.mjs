export const reportChanges = () => ''
