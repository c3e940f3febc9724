function status = echoloop_tcp(command, varargin)
% ECHOLOOP_TCP  Sends frames to Echoloop over TCP, for MATLAB and Octave without a C compiler. Slow: each frame is
% copied several times. The MEX file echoloop.c is the fast way.
%   echoloop_tcp('describe', json, 'live:tcp:HOST:PORT,token=FILE')   json: text, see README.md of the senders
%   status = echoloop_tcp('send', frame)     'ok', 'no viewer' (describe again), 'timeout', 'stopped'
%   echoloop_tcp('close')
% Octave: pkg load instrument-control (for tcpclient). Licence: MIT, as Echoloop.
  persistent s
  status = 'ok';
  switch command
    case 'describe'
      part = regexp(varargin{2}, '^live:tcp:([^:]+):(\d+)(,token=(.*))?$', 'tokens', 'once');
      if isempty(part), error('echoloop:input', 'address: expected live:tcp:HOST:PORT[,token=FILE]'); end
      token = '';
      if numel(part) > 2 && ~isempty(part{3}), token = strtok(fileread(regexprep(part{3}, '^,token=', ''))); end
      s = struct('link', tcpclient(part{1}, str2double(part{2})), 'in', uint8([]), 'next', uint64(0), ...
                 'lost', uint64(0), 'credits', {{}}, 'bytes', uint64(0), 'accepted', false, 'stopped', false, 'gone', false);
      put(s, 1, [num(uint16([1 0])) num(uint32(16909060)) num(uint64(0)) num(uint32([2 0])) txt('MATLAB') txt(token)]);
      put(s, 3, [num(uint32([0 0])) uint8(varargin{1}(:)')]);
      s = advance(s, 10, @(s) s.accepted && ~isempty(s.credits));
      if ~s.accepted, error('echoloop:input', 'no answer of the viewer within 10 s'); end
    case 'send'
      if isempty(s), error('echoloop:input', 'send before describe'); end
      data = typecast(varargin{1}(:), 'uint8');
      s = advance(s, 1, @(s) ~isempty(s.credits) || s.stopped || s.gone);
      if numel(data) ~= s.bytes
        error('echoloop:input', 'frame: found %d bytes; expected %d as described', numel(data), s.bytes);
      elseif s.gone
        status = 'no viewer';
        s.lost = s.lost + 1;
      elseif s.stopped
        status = 'stopped';
        s.lost = s.lost + 1;
      elseif isempty(s.credits)
        status = 'timeout';
        return
      else
        word = [num(s.next) num(int64(0)) num(uint64(0)) num(s.lost) num(s.bytes) s.credits{1} zeros(1, 16, 'uint8')];
        s.credits(1) = [];
        try
          put(s, 7, [word data']);
        catch
          status = 'no viewer';
          s.lost = s.lost + 1;
        end
      end
      if s.next == intmax('uint64'), s.next = uint64(0); else, s.next = s.next + 1; end  % integers saturate
    case 'close'
      if ~isempty(s) && ~s.gone, put(s, 13, txt('the script ended')); pause(0.5); end
      s = [];
    otherwise
      error('echoloop:input', 'command: expected describe, send or close');
  end
end

function put(s, kind, payload)
  write(s.link, [num(uint32([1330136033 kind])) num(uint64(numel(payload))) payload]);
end

function out = num(values), out = typecast(values, 'uint8'); end
function out = txt(text), out = [num(uint64(numel(text))) uint8(text)]; end

% Reads what has come, until done(s) or so many seconds are over.
function s = advance(s, seconds, done)
  start = tic;
  while true
    n = s.link.NumBytesAvailable;
    if n > 0, s.in = [s.in reshape(uint8(read(s.link, n)), 1, [])]; end
    while numel(s.in) >= 16 && numel(s.in) >= 16 + typecast(s.in(9:16), 'uint64')
      size = double(typecast(s.in(9:16), 'uint64'));
      kind = typecast(s.in(5:8), 'uint32');
      payload = s.in(17:16 + size);
      s.in(1:16 + size) = [];
      switch kind
        case 4, s.accepted = true; s.bytes = typecast(payload(9:16), 'uint64');
        case 5, error('echoloop:refused', '%s', char(payload(17:end)));
        case 6, for k = 1:16:size, s.credits{end + 1} = payload(k:k + 7); end
        case 9, s.stopped = true;
        case 10, s.stopped = false;
        case 13, s.gone = true;
      end
    end
    if done(s) || toc(start) > seconds, return; end
    pause(0.001);
  end
end
