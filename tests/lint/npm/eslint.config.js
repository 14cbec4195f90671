// eslint.config.js - rules for the pages (browser) and for the tests and dashboards (Node.js).
// SPDX-License-Identifier: PostgreSQL
import js from '@eslint/js';
import stylistic from '@stylistic/eslint-plugin';
import globals from 'globals';

const rules = {
	...js.configs.recommended.rules,
	// mistakes
	'array-callback-return': 'error',
	'consistent-return': 'error',
	'default-case-last': 'error',
	'eqeqeq': 'error',
	'no-constructor-return': 'error',
	'no-eval': 'error',
	'no-implicit-globals': 'error',
	'no-implied-eval': 'error',
	'no-new-func': 'error',
	'no-promise-executor-return': 'error',
	'no-self-compare': 'error',
	'no-shadow': 'error',
	'no-template-curly-in-string': 'error',
	'no-throw-literal': 'error',
	'no-unmodified-loop-condition': 'error',
	'no-unreachable-loop': 'error',
	'no-unused-expressions': 'error',
	'no-unused-vars': 'error',
	'no-use-before-define': ['error', {functions: false, variables: false}],
	'no-useless-assignment': 'error',
	'no-var': 'error',
	'object-shorthand': 'error',
	'prefer-const': ['error', {destructuring: 'all'}],
	// size
	'complexity': ['error', 20],
	'max-depth': ['error', 4],
	'max-lines': ['error', 800],
	'max-lines-per-function': ['error', 80],
	'max-params': ['error', 6],
	// text
	'@stylistic/eol-last': 'error',
	'@stylistic/max-len': ['error', {code: 120, tabWidth: 4, ignoreTemplateLiterals: true, ignoreRegExpLiterals: true}],
	'@stylistic/no-mixed-spaces-and-tabs': ['error', 'smart-tabs'],
	'@stylistic/no-multi-spaces': 'error',
	'@stylistic/no-trailing-spaces': 'error',
	'@stylistic/quotes': ['error', 'single', {avoidEscape: true, allowTemplateLiterals: 'always'}],
	'@stylistic/semi': 'error',
};

const plugins = {'@stylistic': stylistic};
export default [
	{linterOptions: {reportUnusedDisableDirectives: 'error'}},
	{files: ['**/*.js'], plugins, languageOptions: {globals: globals.browser}, rules},
	{files: ['**/*.mjs'], plugins, languageOptions: {globals: globals.node}, rules},
	// what is inside page.evaluate(...) runs in the page
	{files: ['tests/browser/**', 'bench/viewer/**'], languageOptions: {globals: {...globals.node, ...globals.browser}}},
	// '${...}' is Grafana's own syntax for variables
	{files: ['dashboards/**', 'tests/dashboards/**'], rules: {'no-template-curly-in-string': 'off'}},
];
