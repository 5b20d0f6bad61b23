import { createRequire } from 'node:module';

/** As far as it is used here of html-validate. */
interface Package {
  readonly HtmlValidate: new (config: object) => {
    validateStringSync(text: string): {
      readonly results: readonly {
        readonly messages: readonly {
          readonly ruleId: string;
          readonly line: number;
          readonly message: string;
        }[];
      }[];
    };
  };
}

/** What the standard says against a page: rule, line and message of each finding. Rules about the form of the source are left out. */
export function htmlFindings(page: string): readonly string[] {
  const { HtmlValidate } = createRequire(import.meta.url)('html-validate') as Package;
  return new HtmlValidate({ extends: ['html-validate:standard'] })
    .validateStringSync(page)
    .results.flatMap(({ messages }) =>
      messages.map(({ ruleId, line, message }) => `${ruleId} line ${line}: ${message}`),
    );
}
