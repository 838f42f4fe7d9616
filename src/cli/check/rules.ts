/** What the rules of a check mean, and what to do about them. The server's own reasons are rules as well. */
export interface CheckRule {
  readonly about: string
  readonly help: string
}

const rules: Readonly<Record<string, CheckRule>> = {
  UnknownField: {
    about: 'A field that the type does not have',
    help: 'The server would drop the field, or refuse the object under strict validation. Correct its name, or the place it stands at.',
  },
  DuplicateField: {
    about: 'A field that is there twice',
    help: 'Only the last one would count. Remove the others.',
  },
  StrictDecoding: {
    about: 'A body that strict decoding refuses',
    help: 'Correct what the message names.',
  },
  Syntax: {
    about: 'A document that cannot be read',
    help: 'The document is no YAML or JSON. Correct it at the line that is named.',
  },
  UnknownKind: {
    about: 'A kind that nobody defines',
    help: 'Give its custom resource definition with --crds or --catalog, correct apiVersion and kind, or use --skip-unknown.',
  },
  RemovedVersion: {
    about: 'An API version that is no longer served',
    help: 'Use the version that the message names; pilothouse convert does so for whole files.',
  },
  Deprecated: {
    about: 'Something that will go',
    help: 'Use what the message names before the release in which it goes.',
  },
  DoubleObject: {
    about: 'The same object twice',
    help: 'Two documents have the same kind, namespace and name: the last one would win. Remove or rename one.',
  },
  ExpressionType: {
    about: 'An expression that does not fit its types',
    help: 'The expression would fail for objects of the type that is named. Correct the field or the comparison.',
  },
  ValidatingAdmissionPolicy: {
    about: 'A validating policy says no',
    help: 'Change the object so that the policy lets it through, or the policy or its binding.',
  },
  MutatingAdmissionPolicy: {
    about: 'A mutating policy fails',
    help: 'Correct the policy, or the object that it cannot change.',
  },
  PodSecurity: {
    about: 'A pod that violates a pod security standard',
    help: 'Set the security context that the message names, or another level for the namespace.',
  },
  Install: {
    about: 'An object that others need cannot be installed',
    help: 'Correct it: what depends on it was judged without it.',
  },
  Warning: {
    about: 'A warning of the server',
    help: 'The object is taken, and hardly means what it says. See the message.',
  },
  FieldValueInvalid: { about: 'A value that is not allowed', help: 'Use a value as the message describes it.' },
  FieldValueRequired: { about: 'A field that is missing', help: 'Set the field that is named.' },
  FieldValueNotSupported: {
    about: 'A value that is none of the known ones',
    help: 'Use one of those that are listed.',
  },
  FieldValueForbidden: { about: 'A field that may not be set here', help: 'Remove the field that is named.' },
  FieldValueDuplicate: { about: 'A value that may be there once', help: 'Remove or change one of them.' },
  FieldValueTooLong: { about: 'A value that is too long', help: 'Shorten it to the length that is named.' },
  FieldValueTooMany: { about: 'Too many items', help: 'Remove items down to the number that is named.' },
  FieldValueNotFound: {
    about: 'Something that is referred to and not there',
    help: 'Correct the reference, or add what it names.',
  },
  FieldValueTypeInvalid: {
    about: 'A value of the wrong type',
    help: 'Write a value of the type that is named; texts that look like numbers need quotes.',
  },
  Forbidden: { about: 'Admission says no', help: 'The message says which rule, and why.' },
  Invalid: { about: 'An object that is not valid', help: 'Correct what the message names.' },
  BadRequest: { about: 'A body that the server cannot take', help: 'Correct what the message names.' },
}

/** Rules of servers to come are named all the same. */
export const ruleOf = (id: string): CheckRule =>
  Object.hasOwn(rules, id) ? (rules[id] as CheckRule) : { about: `The server's reason ${id}`, help: 'See the message.' }
