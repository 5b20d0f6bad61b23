import eslint from '@eslint/js';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

export default defineConfig(
  { ignores: ['dist', 'out', 'coverage', 'node_modules', '.teamsheet'] },
  eslint.configs.recommended,
  {
    files: ['**/*.ts', '**/*.cts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      'no-console': 'error',
      'no-control-regex': 'off',
      eqeqeq: 'error',
    },
  },
  {
    // A busy machine makes every measured time long. Benchmarks and the program of the simulation may measure.
    files: ['test/**/*.ts'],
    ignores: ['test/bench/**', 'test/mutation/**', 'test/simulation/main.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...[
          'BinaryExpression[operator="-"][right.type!="Literal"] > CallExpression.left',
          'BinaryExpression[operator=/^[<>]=?$/] > CallExpression',
          'CallExpression[callee.name="expect"] CallExpression',
          'CallExpression[callee.property.name=/^to(Be|Equal|Have|Match|Strict)/] CallExpression',
        ].map((place) => ({
          selector: `${place}[callee.object.name=/^(Date|performance)$/][callee.property.name="now"]`,
          message:
            'A test compares no seconds of a wall clock: measure in test/bench, or take a clock of test/support.',
        })),
      ],
      'no-restricted-globals': [
        'error',
        {
          name: 'setInterval',
          message: 'A test that ends leaves nothing running: take `during` of test/support/cli.ts.',
        },
      ],
    },
  },
  {
    // Benchmarks, generators, examples and the mutation of sources are programs that people read on a terminal.
    files: ['test/bench/**', 'test/mutation/**', 'templates/**/*.ts', 'examples/**'],
    rules: { 'no-console': 'off' },
  },
);
