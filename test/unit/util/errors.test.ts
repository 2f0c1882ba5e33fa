import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { errorText } from '../../../src/util/errors.js';

test('the text of failed attempts to connect to the addresses of a name is that of each', async () => {
  const addresses = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }));
  // Port 1 of loopback has no server.
  const socket = connect({ host: 'node.test', port: 1, autoSelectFamily: true, lookup: (_name, _options, done) => done(null, addresses) });
  const error = await new Promise((resolve) => socket.on('error', resolve));
  assert.equal(errorText(error), 'connect ECONNREFUSED 127.0.0.1:1, connect ECONNREFUSED 127.0.0.2:1');
});
