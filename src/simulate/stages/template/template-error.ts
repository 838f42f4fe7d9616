/** A template that cannot be read, is beyond what is offered, or fails on its object. */
export class TemplateError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'TemplateError'
  }
}
