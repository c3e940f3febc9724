% Sends noise with a point echo that moves: a scanner of 20 lines, for MATLAB and Octave. First, in ../matlab:
% mex -I.. echoloop.c (Octave: mkoctfile --mex -I.. echoloop.c). RcvData lies as Verasonics has it: rows are samples of all transmits, columns channels.
elements = 64; samples = 1024; fs = 20e6; c = 1540; pitch = 0.3e-3;
scan = struct('axes', {{'element', 'transmit', 'time'}}, 'shape', [elements 1 samples], 'dtype', 'int16', ...
              'fs_hz', fs, 'fc_hz', 5e6, 'c_m_s', c, 'pitch_m', pitch, 't0_s', 0, 't_zero', 'origin', ...
              'tx', {{struct('kind', 'plane', 'angle_rad', 0)}});
if ~exist('address', 'var'), address = 'live:'; end
if ~exist('frames', 'var'), frames = 1000; end
echoloop('describe', jsonencode(scan), address);
said = 'ok';
RcvData = zeros(2 * samples, elements, 'int16');  % longer than a frame, as receive buffers are
for k = 1:frames
  x = 4e-3 * sin(0.1 * k) - ((1:elements) - (elements + 1) / 2) * pitch;
  at = (20e-3 + hypot(20e-3, x)) / c * fs;
  t = (0:samples - 1)' - at;
  RcvData(1:samples, :) = int16(20 * randn(samples, elements) + 5000 * exp(-(t / 4) .^ 2) .* cos(pi / 2 * t));
  status = echoloop('send', RcvData, samples);
  if ~strcmp(status, said), disp(status); end  % once, not for every frame
  said = status;
end
echoloop('close');
