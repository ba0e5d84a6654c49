import { electronHost } from './electron-host.ts';
import { STATES, scenario } from './scenario.ts';

scenario(electronHost, STATES);
