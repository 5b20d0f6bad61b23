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
    // Benchmarks, generators and the mutation of sources are programs that people read on a terminal.
    files: ['test/bench/**', 'test/mutation/**', 'templates/**/*.ts'],
    rules: { 'no-console': 'off' },
  },
);
